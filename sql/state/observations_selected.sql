-- The number of selected observations, of their dataset versions, and of all observations. One row.
-- after: observations_select
SELECT COUNT(s.id) AS selected, COUNT(DISTINCT CASE WHEN s.id IS NOT NULL THEN o.dataset_version_id END) AS versions,
       COUNT(*) AS observations
FROM observations AS o
LEFT JOIN selected_observations AS s ON s.id = o.id
