-- The nodes of table C of a dataset version. One row: the columns below * and their level hashes, by observation number.
-- $dataset_version_id = 7
-- after: observation_levels_insert
SELECT l.observation_id, LIST(l.column_name) AS column_names, LIST(l.level_hash) AS level_hashes
FROM observation_levels AS l
JOIN observations AS o ON o.id = l.observation_id
WHERE o.dataset_version_id = $dataset_version_id
GROUP BY l.observation_id
