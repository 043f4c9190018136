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
ORDER BY observation, column_name
