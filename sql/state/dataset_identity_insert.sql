-- Notes the dataset (source, relation and filter, by their hash) that a registered dataset is under a row filter.
-- $dataset_id = 1
-- $dataset_hash = 'd1d1'
-- $filter = NULL
-- after: dataset_insert
INSERT INTO dataset_identities (dataset_id, dataset_hash, filter) VALUES ($dataset_id, $dataset_hash, $filter)
