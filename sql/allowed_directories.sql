-- The folders whose files this database may read and write once it is closed to all others. Gives no row.
-- $folders = ['/tmp/spill']
SET allowed_directories = $folders
