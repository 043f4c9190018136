-- The nodes of table C of a dataset version. One row: an observation with the numbers of its columns and levels, as
-- observation_pairs.sql orders them from 1 (text a hundred thousand times over would be slow to read).
-- $dataset_version_id = 7
-- after: observation_levels_insert
WITH nodes AS (
    SELECT l.observation_id, l.column_name, l.level_hash
    FROM observation_levels AS l
    JOIN observations AS o ON o.id = l.observation_id
    WHERE o.dataset_version_id = $dataset_version_id
), pairs AS (
    SELECT column_name, level_hash, ROW_NUMBER() OVER (ORDER BY column_name, level_hash) AS pair
    FROM (SELECT DISTINCT column_name, level_hash FROM nodes)
)
SELECT nodes.observation_id, JSON_GROUP_ARRAY(pairs.pair) AS "pairs [LIST_TEXT]"
FROM nodes
JOIN pairs ON pairs.column_name = nodes.column_name AND pairs.level_hash = nodes.level_hash
GROUP BY nodes.observation_id
