-- Notes a row filter again that was erased, of what a registered dataset is under it.
-- $dataset_id = 1
-- $dataset_hash = 'd1d1'
-- $filter = 'age < 60'
-- after: dataset_identity_insert
UPDATE dataset_identities SET filter = $filter WHERE dataset_id = $dataset_id AND dataset_hash = $dataset_hash
