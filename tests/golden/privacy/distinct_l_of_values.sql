SELECT
  class.class
FROM (
  SELECT
    class_value.class,
    COUNT(*) - COUNT(missing_value.value) AS figure
  FROM class_value AS class_value
  LEFT JOIN missing_value AS missing_value
    ON missing_value.value = class_value.value
  GROUP BY
    class_value.class
) AS class
WHERE
  class.figure < 3;
