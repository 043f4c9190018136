-- Distinct l-diversity: the classes with fewer than l different values of a sensitive attribute. One row is one such
-- class, with the number of its values; without the WHERE, one row is any class.
-- $l = 2
SELECT class.class, class.figure
FROM (SELECT class_value.class, COUNT(*) AS figure FROM class_value GROUP BY class_value.class) AS class
WHERE class.figure < $l
