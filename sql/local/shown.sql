-- The label of each cell of one attribute at one level between its values and `*`. One row is one cell. The statements
-- of all levels are joined by UNION ALL.
-- $classes_1 = [0, 1, 2]
-- $labels_1 = ['E', 'W', NULL]
SELECT DISTINCT keys.cell, 1 AS level, labels.label
FROM keys
JOIN (SELECT UNNEST($classes_1) AS class, CAST(UNNEST($labels_1) AS VARCHAR) AS label) AS labels ON keys.level = labels.class
