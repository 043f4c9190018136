-- Writes a backup out whole, so that nothing of it is left in a log beside it.
-- after: attach_backup
CHECKPOINT ordermade_backup
