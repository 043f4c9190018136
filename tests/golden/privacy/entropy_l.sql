SELECT
  class.class
FROM (
  SELECT
    class_value.class,
    LN(CAST(SUM(class_value.n) AS DOUBLE)) - SUM(CAST(class_value.n AS DOUBLE) * LN(CAST(class_value.n AS DOUBLE))) / CAST(SUM(class_value.n) AS DOUBLE) AS figure
  FROM class_value AS class_value
  GROUP BY
    class_value.class
) AS class
WHERE
  class.figure < LN(CAST(5 AS DOUBLE) / CAST(2 AS DOUBLE)) - 0.000000001;
