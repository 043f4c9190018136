-- Are there classes of a node that are large enough among what is still to be released? One row: how many.
SELECT 0 AS node, COUNT(*) AS classes
FROM (
  SELECT SUM(remaining.n) AS size, COUNT(DISTINCT remaining.person) AS persons
  FROM local_remaining AS remaining
  GROUP BY remaining.level
) AS class
WHERE class.size >= 2
