SELECT
  class.class
FROM (
  SELECT
    class_value.class,
    CAST(MAX(class_value.n) AS DECIMAL(38, 0)) AS commonest,
    CAST(SUM(class_value.n) AS DECIMAL(38, 0)) AS size
  FROM class_value AS class_value
  GROUP BY
    class_value.class
) AS class
WHERE
  class.commonest * 2 > 1 * class.size;
