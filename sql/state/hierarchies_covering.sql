-- The hierarchies that requests found to cover a column of a dataset version. One row: a column and a content hash.
-- $dataset_version_id = 7
-- after: covering_hierarchies_insert
SELECT column_name, hierarchy_hash FROM covering_hierarchies WHERE dataset_version_id = $dataset_version_id
