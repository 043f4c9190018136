-- Stores the labels of an explicit hierarchy; the lists run in parallel, one place a leaf and level.
-- $hierarchy_id = 1
-- $leaf_no = [0, 1]
-- $leaf = ['30', '31']
-- $level = [1, 1]
-- $label = ['*', '*']
-- after: hierarchy_insert
INSERT INTO hierarchy_values (hierarchy_id, leaf_no, leaf, level, label)
SELECT $hierarchy_id, UNNEST(CAST($leaf_no AS INTEGER[])), UNNEST(CAST($leaf AS VARCHAR[])),
       UNNEST(CAST($level AS INTEGER[])), UNNEST(CAST($label AS VARCHAR[]))
