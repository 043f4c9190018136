-- Stores the label of a leaf at a level of an explicit hierarchy.
-- $hierarchy_id = 1
-- $level = 1
-- $leaf_no = 0
-- $leaf = '30'
-- $label = '*'
-- after: hierarchy_insert
INSERT INTO hierarchy_values (hierarchy_id, leaf_no, leaf, level, label)
VALUES ($hierarchy_id, $leaf_no, $leaf, $level, $label)
