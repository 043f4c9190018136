SELECT
  class.class
FROM (
  SELECT
    class_value.class,
    CAST(MAX(class_value.n) AS DECIMAL(38, 0)) AS commonest,
    CAST(MAX(class_size.size) AS DECIMAL(38, 0)) AS size
  FROM class_value AS class_value
  JOIN class_size AS class_size
    ON class_size.class = class_value.class
  GROUP BY
    class_value.class
) AS class
WHERE
  class.commonest * 2 > 1 * class.size;
