-- Forgets every node measured on a dataset version; their levels are forgotten before, in the same transaction.
-- $dataset_version_id = 1
-- after: observations_forget_levels, observations_forget_models
DELETE FROM observations WHERE dataset_version_id = $dataset_version_id
