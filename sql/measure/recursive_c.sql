-- The bound that the c of recursive (c, l)-diversity must exceed, for every l at once. One row is one l from 2 to
-- $most, with the greatest of (the commonest value / the l-th commonest and all rarer ones together) over all classes.
-- $most = 2
SELECT
  placed.place AS l,
  MAX(CAST(placed.commonest AS DOUBLE) / CAST(placed.others AS DOUBLE)) AS c
FROM (
  SELECT
    ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC, class_value.value) AS place,
    MAX(class_value.n) OVER (PARTITION BY class_value.class) AS commonest,
    SUM(class_value.n) OVER (
      PARTITION BY class_value.class
      ORDER BY class_value.n DESC, class_value.value ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    ) AS others
  FROM class_value
) AS placed
WHERE placed.place BETWEEN 2 AND $most
GROUP BY placed.place
ORDER BY placed.place
