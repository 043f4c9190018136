-- Gives nodes their whole histograms, where only small classes were noted; the lists run in parallel, one place a node.
-- $id = [1]
-- $class_sizes = ['[400, 600]']
-- $class_counts = ['[1, 1]']
-- after: observations_insert
UPDATE observations
SET class_sizes = CAST(whole.class_sizes AS BIGINT[]), class_counts = CAST(whole.class_counts AS BIGINT[])
FROM (SELECT UNNEST(CAST($id AS BIGINT[])) AS id, UNNEST(CAST($class_sizes AS VARCHAR[])) AS class_sizes,
             UNNEST(CAST($class_counts AS VARCHAR[])) AS class_counts) AS whole
WHERE observations.id = whole.id
