-- Attaches the new file that a backup is written to.
-- $path = 'backup.duckdb'
ATTACH $path AS ordermade_backup
