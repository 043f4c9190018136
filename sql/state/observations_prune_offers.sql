-- Forgets the lists of offers of the dataset versions of the selected observations, before these themselves.
-- after: observations_select
DELETE FROM offer_lists
WHERE dataset_version_id IN (SELECT dataset_version_id FROM observations WHERE id IN (SELECT id FROM selected_observations))
