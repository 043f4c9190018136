-- The labels of an explicit hierarchy. One row: a leaf and level.
-- $hierarchy_id = 1
SELECT leaf_no, leaf, level, label
FROM hierarchy_values
WHERE hierarchy_id = $hierarchy_id
ORDER BY leaf_no, level
