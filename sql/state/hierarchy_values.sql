-- The labels of those of some hierarchies that are explicit. One row: a leaf and level of a hierarchy.
-- $hierarchy_ids = [1, 2]
SELECT hierarchy_id, level, leaf_no, leaf, label
FROM hierarchy_values
WHERE hierarchy_id IN (SELECT value FROM json_each($hierarchy_ids))
ORDER BY hierarchy_id, level, leaf_no
