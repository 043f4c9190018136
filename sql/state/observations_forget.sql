-- Forgets every node measured on a dataset version, after their levels.
-- $dataset_version_id = 1
DELETE FROM observations WHERE dataset_version_id = $dataset_version_id
