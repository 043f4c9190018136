SELECT
  class.class
FROM (
  SELECT
    class_value.class,
    COUNT(*) AS figure
  FROM class_value AS class_value
  GROUP BY
    class_value.class
) AS class
WHERE
  class.figure < 3;
