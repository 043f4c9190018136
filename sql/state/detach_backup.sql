-- Writes the backup out and lets go of it.
DETACH ordermade_backup
