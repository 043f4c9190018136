-- The nodes of a dataset version in table C. One row: number and hash of a node, and whether all of its classes are in
-- the histogram.
-- $dataset_version_id = 7
SELECT id, node_hash, COALESCE((SELECT SUM(c.value) FROM json_each(class_counts) AS c), 0) = divisions AS "whole [BOOLEAN]"
FROM observations
WHERE dataset_version_id = $dataset_version_id
