-- The number of nodes of each dataset version in table C. One row: a dataset version with measured nodes.
SELECT dataset_version_id, COUNT(*) AS observations FROM observations GROUP BY dataset_version_id ORDER BY dataset_version_id
