SELECT
  class.class
FROM (
  SELECT
    placed.class,
    MAX(placed.n) AS commonest,
    SUM(CASE WHEN placed.place >= 2 THEN placed.n ELSE 0 END) AS others
  FROM (
    SELECT
      class_value.class,
      CAST(class_value.n AS DECIMAL(38, 0)) AS n,
      ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC) AS place
    FROM class_value AS class_value
  ) AS placed
  GROUP BY
    placed.class
) AS class
WHERE
  class.commonest * 2 >= 3 * class.others;
