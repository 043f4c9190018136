-- Distinct l-diversity: the most units of a class that finer nodes can keep, where the class fails: none, as no part of
-- it has more values. One row is one class of `class_value`, which holds failing classes only.
-- $l = 2
SELECT class.class, CASE WHEN class.found < $l THEN 0 ELSE class.size END AS units
FROM (
  SELECT class_value.class, COUNT(*) AS found, SUM(class_value.n) AS size
  FROM class_value
  GROUP BY class_value.class
) AS class
