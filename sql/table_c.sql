-- Table C, exported.

-- name: export_csv
-- Writes the export as CSV with a header. One row: the number of rows written.
-- $path = 'observations.csv'
-- after: observations
COPY (SELECT * FROM exported) TO $path (FORMAT CSV, HEADER);

-- name: export_parquet
-- Writes the export as Parquet. One row: the number of rows written.
-- $path = 'observations.parquet'
-- after: observations
COPY (SELECT * FROM exported) TO $path (FORMAT PARQUET);

-- name: attributes
-- The observations to be exported by attribute. Makes a table. One row: an observation and one of its attributes, in
-- order; the root, which has none below *, has one row without. One row of `arriving`, which the engine lays over the
-- one that stands here, is such a row.
CREATE OR REPLACE TEMPORARY TABLE exported AS
WITH arriving AS (
    SELECT 1 AS observation, 'members' AS dataset, 'd1d1' AS dataset_hash, 7 AS dataset_version, TRUE AS is_latest,
           'age' AS column_name, 1 AS level, 'decade' AS level_name, 'a1' AS level_hash, 1000 AS rows, 2 AS divisions,
           400 AS k
)
SELECT observation, CAST(dataset AS VARCHAR) AS dataset, dataset_hash, dataset_version, is_latest,
       CAST(column_name AS VARCHAR) AS column_name, CAST(level AS INTEGER) AS level, CAST(level_name AS VARCHAR) AS level_name,
       CAST(level_hash AS VARCHAR) AS level_hash, rows, divisions, k
FROM arriving
ORDER BY observation, column_name;

-- name: observations
-- The observations to be exported. Makes a table. One row: an observation, in order. One row of `arriving`, which the
-- engine lays over the one that stands here, is an observation as the state has it.
CREATE OR REPLACE TEMPORARY TABLE exported AS
WITH arriving AS (
    SELECT 1 AS observation, 'members' AS dataset, 'd1d1' AS dataset_hash, 7 AS dataset_version, TRUE AS is_latest,
           'age: decade' AS node, 1 AS attributes, 1000 AS rows, 2 AS divisions, 400 AS k, '520000' AS sum_of_squares,
           '[400, 600]' AS class_sizes, '[1, 1]' AS class_counts, NULL AS request,
           TIMESTAMP '2025-01-31 12:00:00' AS measured_at
)
SELECT observation, CAST(dataset AS VARCHAR) AS dataset, dataset_hash, dataset_version, is_latest, node, attributes, rows,
       divisions, k, CAST(sum_of_squares AS DECIMAL(38, 0)) AS sum_of_squares, CAST(class_sizes AS BIGINT[]) AS class_sizes,
       CAST(class_counts AS BIGINT[]) AS class_counts, CAST(request AS BIGINT) AS request,
       CAST(measured_at AS TIMESTAMP) AS measured_at
FROM arriving
ORDER BY observation;
