-- Stores the labels of a level of an explicit hierarchy. One row of `arriving`, which the engine lays over the one that
-- stands here, is a leaf. (Arrays: a million labels bound one by one would take seconds.)
-- $hierarchy_id = 1
-- $level = 1
-- after: hierarchy_insert
WITH arriving AS (SELECT 0 AS leaf_no, '30' AS leaf, '*' AS label)
INSERT INTO hierarchy_values (hierarchy_id, leaf_no, leaf, level, label)
SELECT $hierarchy_id, arriving.leaf_no, arriving.leaf, $level, arriving.label FROM arriving
