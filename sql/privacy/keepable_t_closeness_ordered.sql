-- t-closeness of an ordered attribute: the most units of a class that finer nodes can keep. One row is one class. A class
-- is no further away than its parts are in the mean: t at most those that are kept, 1 at most the others. `figures` has
-- the distances; what is rounded is rounded up. t is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 5
SELECT
  class.class,
  CASE WHEN class.bound < class.size THEN CAST(FLOOR(class.bound) AS DECIMAL(38, 0)) ELSE class.size END AS units
FROM (
  SELECT
    sized.class,
    CAST(sized.size AS DECIMAL(38, 0)) AS size,
    CAST(sized.size AS DOUBLE)
    * ((1 - figures.figure) * CAST($denominator AS DOUBLE) / CAST($denominator - $numerator AS DOUBLE) + 0.000000000001)
    + 0.000001 AS bound
  FROM (SELECT class_value.class, SUM(class_value.n) AS size FROM class_value GROUP BY class_value.class) AS sized
  JOIN figures ON figures.class = sized.class
) AS class
