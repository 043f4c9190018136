-- The label of each value of a quasi-identifier at the chosen level. One row is one value.
-- $classes = [0, 1, 2]
-- $labels = ['E', 'W', NULL]
SELECT keys.key, shown.label
FROM keys
JOIN (SELECT UNNEST($classes) AS class, CAST(UNNEST($labels) AS VARCHAR) AS label) AS shown ON keys.level = shown.class
