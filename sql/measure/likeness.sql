-- The distance of the classes from the whole table, value by value. One row: beta, the most that a share in a class
-- exceeds the share in the whole table, as a part of the latter; delta, the greatest |ln(share in a class / share in
-- the table)| of the values that a class has; and the number of values whose excess is more than -ln(share in the
-- table), for which no enhanced beta will do (0.000000001: more than the rounding of the logarithms).
SELECT
  MAX(CASE WHEN likeness.most > likeness.share THEN (likeness.most - likeness.share) / likeness.share ELSE 0.0 END) AS beta,
  MAX(CASE WHEN LN(likeness.most / likeness.share) > LN(likeness.share / likeness.least)
    THEN LN(likeness.most / likeness.share) ELSE LN(likeness.share / likeness.least) END) AS delta,
  COALESCE(SUM(CASE WHEN (likeness.most - likeness.share) / likeness.share > -LN(likeness.share) + 0.000000001
    THEN 1 ELSE 0 END), 0) AS beyond_enhanced
FROM (
  SELECT
    CAST(MAX(table_value.n) AS DOUBLE) / CAST(MAX(everything.n) AS DOUBLE) AS share,
    MAX(CAST(class_value.n AS DOUBLE) / CAST(class.size AS DOUBLE)) AS most,
    MIN(CAST(class_value.n AS DOUBLE) / CAST(class.size AS DOUBLE)) AS least
  FROM class_value
  JOIN (
    SELECT class_value.class, SUM(class_value.n) AS size FROM class_value GROUP BY class_value.class
  ) AS class ON class.class = class_value.class
  JOIN table_value ON table_value.value = class_value.value
  CROSS JOIN (SELECT SUM(table_value.n) AS n FROM table_value) AS everything
  GROUP BY class_value.value
) AS likeness
