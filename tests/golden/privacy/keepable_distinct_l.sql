SELECT
  class.class,
  CASE WHEN class.found < 3 THEN 0 ELSE class.size END AS units
FROM (
  SELECT
    class_value.class,
    COUNT(*) AS found,
    SUM(class_value.n) AS size
  FROM class_value AS class_value
  GROUP BY
    class_value.class
) AS class;
