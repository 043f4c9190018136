-- The rows of one column that are in suppressed classes, by their class in that column. One row is one class of the column:
-- its rows in classes below k, and its rows in classes that are below k or fail a model.
-- $k = 3
SELECT
  part.level AS class,
  SUM(CASE WHEN sized.size < $k THEN part.n ELSE 0 END) AS below,
  SUM(part.n) AS suppressed
FROM part
JOIN sized ON sized.class = part.class
WHERE sized.size < $k OR sized.fails
GROUP BY part.level
