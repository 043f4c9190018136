-- Which nodes of a dataset version are in table C? One row: the hash of a node.
-- $dataset_version_id = 7
-- after: observations_insert
SELECT node_hash FROM observations WHERE dataset_version_id = $dataset_version_id
