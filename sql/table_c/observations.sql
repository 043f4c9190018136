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
ORDER BY observation
