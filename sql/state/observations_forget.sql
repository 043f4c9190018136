-- Forgets every node measured on a dataset version.
-- $dataset_version_id = 1
-- after: observations_forget_models
DELETE FROM observations WHERE dataset_version_id = $dataset_version_id
