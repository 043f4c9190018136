-- The classes of a node that are large enough among the combinations still to be released, and the size of the others.
-- One row: the classes that are large enough, and the rows (or persons, class by class) of those that are too small.
SELECT
  0 AS node,
  COALESCE(SUM(CASE WHEN class.size >= 2 THEN 1 ELSE 0 END), 0) AS classes,
  COALESCE(SUM(CASE WHEN class.size < 2 THEN class.size ELSE 0 END), 0) AS too_small
FROM (
  SELECT SUM(remaining.n) AS size, COUNT(DISTINCT remaining.person) AS persons
  FROM local_remaining AS remaining
  GROUP BY remaining.level
) AS class
