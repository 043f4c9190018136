-- Attaches the copy that is restored, to read it.
-- $path = 'backup.duckdb'
-- after: copy_to_backup, detach_backup
ATTACH $path AS ordermade_restored (READ_ONLY)
