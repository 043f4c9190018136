-- The files that this database may read and write once it is closed to all others. Gives no row.
-- $files = ['/tmp/members.parquet']
SET allowed_paths = $files
