-- The datasets (by their hash) that a registered dataset is under its row filters. One row: a filter, or NULL for none.
-- $dataset_id = 1
-- after: dataset_identity_insert
SELECT dataset_hash, filter FROM dataset_identities WHERE dataset_id = $dataset_id ORDER BY dataset_hash
