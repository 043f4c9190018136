-- Recursive (c, l)-diversity: the classes where the commonest value of a sensitive attribute is not rarer than c times
-- the l-th commonest and all rarer ones together. One row is one such class, with these others / the commonest, which
-- must be greater than 1 / c; without the WHERE, one row is any class. c is $numerator / $denominator.
-- $l = 2
-- $numerator = 1
-- $denominator = 1
SELECT class.class, CAST(class.others AS DOUBLE) / CAST(class.commonest AS DOUBLE) AS figure
FROM (
  SELECT
    placed.class,
    MAX(placed.n) AS commonest,
    SUM(CASE WHEN placed.place >= $l THEN placed.n ELSE 0 END) AS others
  FROM (
    SELECT
      class_value.class,
      CAST(class_value.n AS DECIMAL(38, 0)) AS n,
      ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC) AS place
    FROM class_value
  ) AS placed
  GROUP BY placed.class
) AS class
WHERE class.commonest * $denominator >= $numerator * class.others
