-- Forgets the levels of every node measured on a dataset version, before the nodes themselves.
-- $dataset_version_id = 1
DELETE FROM observation_levels WHERE observation_id IN (SELECT id FROM observations WHERE dataset_version_id = $dataset_version_id)
