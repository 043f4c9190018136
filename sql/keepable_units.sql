-- The units that finer nodes can keep of the classes that fail a model. One row is one number of units (size): how many
-- classes that fail can keep so many of theirs at most, by whichever model allows the fewest. A class that `keepable` does not
-- bound can keep them all.
SELECT 0 AS node, 2 AS part, bounded.units AS size, 0 AS other, COUNT(*) AS n
FROM (
  SELECT failing.class, MIN(COALESCE(keepable.units, class_size.size)) AS units
  FROM failing
  JOIN class_size ON class_size.class = failing.class
  LEFT JOIN keepable ON keepable.class = failing.class
  GROUP BY failing.class
) AS bounded
GROUP BY bounded.units
