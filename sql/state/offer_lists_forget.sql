-- Forgets the lists of offers of a dataset version.
-- $dataset_version_id = 1
DELETE FROM offer_lists WHERE dataset_version_id = $dataset_version_id
