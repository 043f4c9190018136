-- Detaches the backup.
-- after: attach_backup
DETACH ordermade_backup
