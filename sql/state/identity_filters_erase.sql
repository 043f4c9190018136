-- Erases row filters of what a registered dataset is under them. NULL would say that there was none.
-- $dataset_id = 1
-- $filter = ['age < 60']
-- after: dataset_identity_insert
UPDATE dataset_identities SET filter = 'erased by policy'
WHERE dataset_id = $dataset_id AND filter IN (SELECT value FROM json_each($filter))
