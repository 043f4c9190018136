-- Writes a new state out whole, so that nothing of it is left in a log beside it.
CHECKPOINT
