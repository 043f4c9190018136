-- The classes without redundant ones: of the classes that have one value only, whose shares are all alike, one for each
-- value. One row is one value in one class.
SELECT class_value.class, class_value.value, class_value.n
FROM class_value
JOIN figures ON figures.class = class_value.class
WHERE figures.figure > 1
UNION ALL
SELECT MIN(class_value.class) AS class, class_value.value, MIN(class_value.n) AS n
FROM class_value
JOIN figures ON figures.class = class_value.class
WHERE figures.figure = 1
GROUP BY class_value.value
