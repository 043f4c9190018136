-- The k-check of a node with models of sensitive attributes: the histogram of its class sizes, of those that fail a
-- model (fails is 1) and of those that do not. One row is one class size of one of these two.
SELECT 0 AS node, 0 AS part, checked.size, checked.fails AS other, COUNT(*) AS n
FROM (
  SELECT class_size.size, CASE WHEN failing.class IS NULL THEN 0 ELSE 1 END AS fails
  FROM class_size
  LEFT JOIN failing ON failing.class = class_size.class
) AS checked
GROUP BY checked.size, checked.fails
