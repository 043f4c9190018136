-- The columns and levels of a dataset version's nodes in table C. One row: a column and level hash, numbered from 1 in
-- their order.
-- $dataset_version_id = 7
-- after: observation_levels_insert
SELECT column_name, level_hash
FROM (
    SELECT DISTINCT l.column_name, l.level_hash
    FROM observation_levels AS l
    JOIN observations AS o ON o.id = l.observation_id
    WHERE o.dataset_version_id = $dataset_version_id
)
ORDER BY column_name, level_hash
