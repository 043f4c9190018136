-- Tables and settings of the workspace.

-- name: taken
-- A relation computed outside of the database, as it is put into it. One row is one row of that relation.
SELECT arriving.* FROM dataset AS arriving;

-- name: append
-- Adds rows that arrive from another database to a table of the engine's own. One row is one row of the answer.
-- after: store
INSERT INTO stored SELECT arriving.qi FROM dataset AS arriving;

-- name: memory_limit
-- The limit of memory of this database. One row.
SELECT CAST(CURRENT_SETTING('memory_limit') AS VARCHAR) AS memory_limit;

-- name: set_memory_limit
-- Sets the limit of memory of this database: even to what it was, which gives the memory that it keeps for later statements
-- back to the machine. Gives no row.
SET memory_limit = '1GB';

-- name: threads
-- The number of threads that statements run in. One row: that number.
SELECT CURRENT_SETTING('threads') AS threads;

-- name: set_threads
-- Gives statements another number of threads. Gives no row.
SET threads = 1;

-- name: none_taken
-- The columns of a relation as they are given back, without its rows. One row is one row of that relation, of none.
SELECT dataset.* FROM dataset LIMIT 0;

-- name: drop
-- Drops a temporary table of the engine's own, and never one of the source that has its name. Gives no row.
DROP TABLE IF EXISTS temp.main.stored;

-- name: set_spill_limit
-- The most that this database writes beside its memory, to the folder of what does not fit there. No rows.
SET max_temp_directory_size = '100GB';

-- name: allowed_directories
-- The folders whose files this database may read and write once it is closed to all others. Gives no row.
-- $folders = ['/tmp/spill']
SET allowed_directories = $folders;

-- name: allowed_paths
-- The files that this database may read and write once it is closed to all others. Gives no row.
-- $files = ['/tmp/members.parquet']
SET allowed_paths = $files;

-- name: allowed_configs
-- The settings that a closed database may still change. Gives no row.
SET allowed_configs = ['threads', 'memory_limit'];

-- name: external_access
-- Closes this database to all files that it was not allowed: for reading, writing, attaching, loading. Gives no row.
SET enable_external_access = FALSE;

-- name: lock_configuration
-- Keeps every statement from changing a setting that it is not allowed, this one included. Gives no row.
SET lock_configuration = TRUE;

-- name: time_zone
-- Writes instants in UTC in any time zone of the machine. Gives no row.
SET TimeZone = 'UTC';

-- name: store
-- Keeps the answer of a query as a table of the engine's own, for this request only. One row is one row of the answer.
CREATE OR REPLACE TEMPORARY TABLE stored AS SELECT dataset.qi FROM dataset;
