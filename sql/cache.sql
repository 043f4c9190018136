-- The cache.

-- name: arrived
-- Copies a table that has crossed from the cache into a temporary table of the workspace (stand-in: loaded). One row: a
-- cell, or a counted value.
-- after: load
CREATE OR REPLACE TEMPORARY TABLE loaded AS SELECT * FROM ordermade_crossing.main.loaded;

-- name: attach
-- Attaches the cache to write to it; without a log file beside it, a checkpoint makes the change lasting.
-- $path = '.ordermade/cache.duckdb'
ATTACH $path AS ordermade_cache (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES);

-- name: attach_compacted
-- Attaches the new file for the sets which stay.
-- $path = '.ordermade/cache.compacted.duckdb'
ATTACH $path AS ordermade_compacted (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES);

-- name: attach_crossing
-- Attaches the file in which tables cross between the cache and a workspace, which reaches no file beyond its folder.
-- $path = 'crossing.duckdb'
ATTACH $path AS ordermade_crossing (READ_WRITE, RECOVERY_MODE NO_WAL_WRITES);

-- name: attach_crossing_read_only
-- Attaches the file in which tables have crossed, to read them.
-- $path = 'crossing.duckdb'
-- after: attach_crossing, detach_crossing
ATTACH $path AS ordermade_crossing (READ_ONLY);

-- name: attach_read_only
-- Attaches the cache to read it.
-- $path = '.ordermade/cache.duckdb'
-- after: create_frequency_sets, checkpoint, detach
ATTACH $path AS ordermade_cache (READ_ONLY);

-- name: checkpoint
-- Writes the changes of the cache out.
-- after: attach
CHECKPOINT ordermade_cache;

-- name: checkpoint_compacted
-- Writes the new file out.
-- after: attach_compacted
CHECKPOINT ordermade_compacted;

-- name: columns
-- The columns of a frequency set of the workspace (stand-in: frequency_set), with their types. No row.
-- after: stand_ins
SELECT * FROM frequency_set LIMIT 0;

-- name: copy_to_compacted
-- Copies the rest of the cache to the new file, so that a purged set is on no page of it.
-- after: create_frequency_sets, attach_compacted
COPY FROM DATABASE ordermade_cache TO ordermade_compacted;

-- name: create_frequency_set_columns
-- Makes the list of the columns of the stored sets. One row: a column of a set; column c<position + 1> of fs_<id>.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.frequency_set_columns (
    set_id         BIGINT NOT NULL,
    position       INTEGER NOT NULL,
    column_name    VARCHAR NOT NULL,
    hierarchy_hash VARCHAR NOT NULL,
    base_level     INTEGER NOT NULL,
    PRIMARY KEY (set_id, position)
);

-- name: create_frequency_sets
-- Makes the list of the stored frequency sets. One row: a set; its cells are in the table fs_<id>.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.frequency_sets (
    id                 BIGINT PRIMARY KEY,
    dataset_version_id BIGINT NOT NULL,
    source_rows        BIGINT NOT NULL,
    length             BIGINT NOT NULL,
    bytes              BIGINT NOT NULL,
    created_at         TIMESTAMP NOT NULL,
    last_used_at       TIMESTAMP NOT NULL
);

-- name: create_marginals
-- Makes the list of the stored marginals. One row: a level of a column of a dataset version, with the histogram of its
-- class sizes: sizes, and the number of values with each.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.marginals (
    dataset_version_id BIGINT NOT NULL,
    column_name        VARCHAR NOT NULL,
    level_hash         VARCHAR NOT NULL,
    class_sizes        BIGINT[] NOT NULL,
    class_counts       BIGINT[] NOT NULL,
    created_at         TIMESTAMP NOT NULL,
    last_used_at       TIMESTAMP NOT NULL
);

-- name: create_value_counts
-- Makes the list of the stored counts of values. One row: a column of a dataset version as it was counted; its counts
-- are in the table vc_<id>.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.value_counts (
    id                 BIGINT PRIMARY KEY,
    dataset_version_id BIGINT NOT NULL,
    column_name        VARCHAR NOT NULL,
    hierarchy_hash     VARCHAR NOT NULL,
    base_level         INTEGER NOT NULL,
    statement_hash     VARCHAR NOT NULL,
    fingerprint        VARCHAR NOT NULL,
    bytes              BIGINT NOT NULL,
    created_at         TIMESTAMP NOT NULL,
    last_used_at       TIMESTAMP NOT NULL
);

-- name: detach
-- Detaches the cache.
-- after: attach
DETACH ordermade_cache;

-- name: detach_compacted
-- Detaches the new file.
-- after: attach_compacted
DETACH ordermade_compacted;

-- name: detach_crossing
-- Detaches the file in which tables cross.
-- after: attach_crossing
DETACH ordermade_crossing;

-- name: drop
-- Removes the cells of a stored set (stand-in: fs_1).
-- after: store
DROP TABLE IF EXISTS ordermade_cache.main.fs_1;

-- name: drop_values
-- Removes stored counts of values (stand-in: vc_1).
-- after: store_values
DROP TABLE IF EXISTS ordermade_cache.main.vc_1;

-- name: frequency_set_columns
-- The columns of the stored sets. One row: a column of a set, in order.
-- after: create_frequency_set_columns
SELECT set_id, column_name, hierarchy_hash, base_level
FROM ordermade_cache.main.frequency_set_columns
ORDER BY set_id, position;

-- name: frequency_set_columns_delete
-- Forgets the columns of a set.
-- $id = 1
-- after: frequency_set_columns_insert
DELETE FROM ordermade_cache.main.frequency_set_columns WHERE set_id = $id;

-- name: frequency_set_columns_insert
-- Notes the columns of a stored set; the lists run in parallel, one place a column in order.
-- $set_id = 1
-- $position = [0]
-- $column_name = ['age']
-- $hierarchy_hash = ['a0a0']
-- $base_level = [0]
-- after: create_frequency_set_columns
INSERT INTO ordermade_cache.main.frequency_set_columns (set_id, position, column_name, hierarchy_hash, base_level)
SELECT $set_id, UNNEST(CAST($position AS INTEGER[])), UNNEST(CAST($column_name AS VARCHAR[])),
       UNNEST(CAST($hierarchy_hash AS VARCHAR[])), UNNEST(CAST($base_level AS INTEGER[]));

-- name: frequency_set_delete
-- Forgets a set.
-- $id = 1
-- after: frequency_set_insert
DELETE FROM ordermade_cache.main.frequency_sets WHERE id = $id;

-- name: frequency_set_insert
-- Notes a stored set.
-- $id = 1
-- $dataset_version_id = 7
-- $source_rows = 1000
-- $length = 2
-- $bytes = 20
-- $at = TIMESTAMP '2025-01-31 12:00:00'
-- after: create_frequency_sets
INSERT INTO ordermade_cache.main.frequency_sets (id, dataset_version_id, source_rows, length, bytes, created_at, last_used_at)
VALUES ($id, $dataset_version_id, $source_rows, $length, $bytes, $at, $at);

-- name: frequency_set_used
-- Notes that a set was used.
-- $id = 1
-- $at = TIMESTAMP '2025-02-01 12:00:00'
-- after: frequency_set_insert
UPDATE ordermade_cache.main.frequency_sets SET last_used_at = $at WHERE id = $id;

-- name: frequency_sets
-- The stored frequency sets. One row: a set, the least recently used first.
-- after: create_frequency_sets
SELECT id, dataset_version_id, source_rows, length, bytes, created_at, last_used_at
FROM ordermade_cache.main.frequency_sets
ORDER BY last_used_at, id;

-- name: has_marginals
-- The table of marginals of the attached cache. One row if it is there, none if an older engine made the cache.
-- after: create_marginals
SELECT table_name FROM duckdb_tables() WHERE database_name = 'ordermade_cache' AND table_name = 'marginals';

-- name: has_value_counts
-- The list of counts of values in the attached cache. One row if it is there, none if an older engine made the cache.
-- after: create_value_counts
SELECT table_name FROM duckdb_tables() WHERE database_name = 'ordermade_cache' AND table_name = 'value_counts';

-- name: leave
-- Copies a frequency set of the workspace (stand-in: frequency_set) to where it crosses to the cache. One row: a cell.
-- after: stand_ins, attach_crossing
CREATE TABLE ordermade_crossing.main.frequency_set AS SELECT c1, n FROM frequency_set;

-- name: leave_values
-- Copies the counted values of a column (stand-in: marginal) to where they cross to the cache. One row: a value, or a
-- code of a rule.
-- after: stand_ins, attach_crossing
CREATE TABLE ordermade_crossing.main.marginal AS SELECT key, code, leaves, n, n_log_n FROM marginal;

-- name: length
-- The number of cells of a frequency set of the workspace (stand-in: frequency_set). One row.
-- after: stand_ins
SELECT COUNT(*) AS length FROM frequency_set;

-- name: load
-- Copies a stored set (stand-in: fs_1) to where it crosses to the workspace (stand-in: loaded). One row: a cell.
-- after: store
CREATE TABLE ordermade_crossing.main.loaded AS SELECT c1, n FROM ordermade_cache.main.fs_1;

-- name: load_values
-- Copies stored counts of values (stand-in: vc_1) to where they cross to the workspace (stand-in: loaded). One row: a
-- value, or a code of a rule.
-- after: store_values
CREATE TABLE ordermade_crossing.main.loaded AS SELECT key, code, leaves, n, n_log_n FROM ordermade_cache.main.vc_1;

-- name: marginal_versions
-- The dataset versions with stored marginals. One row: a version with its columns, its levels and the bytes they take,
-- the least recently used first.
-- after: create_marginals
SELECT dataset_version_id, LIST(DISTINCT column_name ORDER BY column_name) AS columns, COUNT(*) AS levels,
       SUM(STRLEN(column_name) + STRLEN(level_hash) + 16 * LENGTH(class_sizes)) AS bytes,
       MIN(created_at) AS created_at, MAX(last_used_at) AS last_used_at
FROM ordermade_cache.main.marginals
GROUP BY dataset_version_id
ORDER BY last_used_at, dataset_version_id;

-- name: marginals
-- The marginals of a dataset version. One row: a level of a column with the histogram of its class sizes.
-- $dataset_version_id = 7
-- after: marginals_insert
SELECT column_name, level_hash, class_sizes, class_counts
FROM ordermade_cache.main.marginals
WHERE dataset_version_id = $dataset_version_id
ORDER BY column_name, level_hash;

-- name: marginals_delete
-- Forgets the marginals of a dataset version.
-- $dataset_version_id = 7
-- after: marginals_insert
DELETE FROM ordermade_cache.main.marginals WHERE dataset_version_id = $dataset_version_id;

-- name: marginals_insert
-- Stores marginals of a dataset version; the lists run in parallel, one place a level of a column. (Histograms come as
-- text: a million numbers bound one by one would take a second.)
-- $dataset_version_id = 7
-- $column_name = ['age']
-- $level_hash = ['a1']
-- $class_sizes = ['[400, 600]']
-- $class_counts = ['[1, 1]']
-- $at = TIMESTAMP '2025-01-31 12:00:00'
-- after: create_marginals
INSERT INTO ordermade_cache.main.marginals (dataset_version_id, column_name, level_hash, class_sizes, class_counts,
                                            created_at, last_used_at)
SELECT $dataset_version_id, UNNEST(CAST($column_name AS VARCHAR[])), UNNEST(CAST($level_hash AS VARCHAR[])),
       CAST(UNNEST(CAST($class_sizes AS VARCHAR[])) AS BIGINT[]),
       CAST(UNNEST(CAST($class_counts AS VARCHAR[])) AS BIGINT[]), $at, $at;

-- name: marginals_used
-- Notes that the marginals of a dataset version were used.
-- $dataset_version_id = 7
-- $at = TIMESTAMP '2025-02-01 12:00:00'
-- after: marginals_insert
UPDATE ordermade_cache.main.marginals SET last_used_at = $at WHERE dataset_version_id = $dataset_version_id;

-- name: measured_values
-- The length of a table of counted values, its rows of the dataset, a hash of its whole content in any order, and the
-- bytes it takes before compression. One row: a table, marked with its number.
-- after: stand_ins
SELECT
  0 AS number,
  COUNT(*) AS length,
  COALESCE(SUM(marginal.n), 0) AS source_rows,
  COALESCE(SUM(HASH(marginal.key, marginal.code, marginal.leaves, marginal.n, marginal.n_log_n)), 0) AS content,
  COALESCE(SUM(48 + 2 * COALESCE(STRLEN(CAST(marginal.key AS VARCHAR)), 0)), 0) AS bytes
FROM marginal;

-- name: stand_ins
-- The tables of a workspace that the statements here stand on. One row of `frequency_set`: a cell by its codes, with its
-- number of rows. One row of `marginal`: a value of a column, or a code of a rule, with its number of rows.
CREATE TEMPORARY TABLE frequency_set AS SELECT 1::UTINYINT AS c1, 2::BIGINT AS n;
CREATE TEMPORARY TABLE marginal AS
SELECT 'east' AS key, 'east' AS code, 1 AS leaves, 2::BIGINT AS n, 1.386294361::DECIMAL(38, 9) AS n_log_n;

-- name: store
-- Copies a frequency set that has crossed (stand-in: frequency_set) into the cache (stand-in: fs_1). One row: a cell.
-- after: leave, attach
CREATE TABLE ordermade_cache.main.fs_1 AS SELECT c1, n FROM ordermade_crossing.main.frequency_set;

-- name: store_values
-- Copies counted values that have crossed (stand-in: marginal) into the cache (stand-in: vc_1). One row: a value, or a
-- code of a rule.
-- after: leave_values, attach
CREATE TABLE ordermade_cache.main.vc_1 AS SELECT key, code, leaves, n, n_log_n FROM ordermade_crossing.main.marginal;

-- name: value_counts
-- The stored counts of values. One row: a column of a dataset version as it was counted, the least recently used first.
-- after: create_value_counts
SELECT id, dataset_version_id, column_name, hierarchy_hash, base_level, statement_hash, fingerprint, bytes,
       created_at, last_used_at
FROM ordermade_cache.main.value_counts
ORDER BY last_used_at, id;

-- name: value_counts_delete
-- Forgets stored counts of values.
-- $id = 1
-- after: value_counts_insert
DELETE FROM ordermade_cache.main.value_counts WHERE id = $id;

-- name: value_counts_insert
-- Notes stored counts of values.
-- $id = 1
-- $dataset_version_id = 7
-- $column_name = 'age'
-- $hierarchy_hash = 'a0a0'
-- $base_level = 0
-- $statement_hash = 'b1b1'
-- $fingerprint = '2 1000 77'
-- $bytes = 80
-- $at = TIMESTAMP '2025-01-31 12:00:00'
-- after: create_value_counts
INSERT INTO ordermade_cache.main.value_counts (id, dataset_version_id, column_name, hierarchy_hash, base_level,
                                               statement_hash, fingerprint, bytes, created_at, last_used_at)
VALUES ($id, $dataset_version_id, $column_name, $hierarchy_hash, $base_level, $statement_hash, $fingerprint, $bytes,
        $at, $at);

-- name: value_counts_used
-- Notes that stored counts of values were used.
-- $id = [1]
-- $at = TIMESTAMP '2025-02-01 12:00:00'
-- after: value_counts_insert
UPDATE ordermade_cache.main.value_counts SET last_used_at = $at WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])));

-- name: workspace_folder
-- The folder whose files a workspace may read and write. One row.
SELECT CURRENT_SETTING('temp_directory') AS folder;
