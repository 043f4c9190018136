-- How a state is opened: references are followed, what is deleted is overwritten, what is committed is on the disk, and
-- nothing is kept in files of its own. No rows.
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA synchronous = FULL;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;
