-- Lets go of the new file.
DETACH ordermade_compacted
