-- Writes the backup out and lets go of it.
-- after: attach_backup
DETACH ordermade_backup
