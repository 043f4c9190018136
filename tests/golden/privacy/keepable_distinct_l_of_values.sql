SELECT
  class.class,
  CASE WHEN class.found < 3 THEN 0 ELSE class.size END AS units
FROM (
  SELECT
    class_value.class,
    COUNT(*) - COUNT(missing_value.value) AS found,
    SUM(class_value.n) AS size
  FROM class_value AS class_value
  LEFT JOIN missing_value AS missing_value
    ON missing_value.value = class_value.value
  GROUP BY
    class_value.class
) AS class;
