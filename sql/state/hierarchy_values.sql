-- The labels of an explicit hierarchy. One row: a leaf and level.
-- $hierarchy_id = 1
SELECT level, leaf_no, leaf, label
FROM hierarchy_values
WHERE hierarchy_id = $hierarchy_id
ORDER BY level, leaf_no
