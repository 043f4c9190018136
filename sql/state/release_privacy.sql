-- The privacy of a release beyond k, as it was measured. One row: a figure, in order; of a model, its name and its
-- parameters.
-- $release_id = 1
-- after: release_privacy_insert
SELECT column_name, figure, value, model, parameter_names, parameter_values
FROM release_privacy
WHERE release_id = $release_id
ORDER BY position
