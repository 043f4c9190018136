SELECT
  capped.class,
  SUM(CASE WHEN capped.n > capped.most THEN capped.most ELSE capped.n END) AS units
FROM (
  SELECT
    counted.class,
    counted.n,
    CASE
      WHEN counted.others = 0
      THEN 0
      ELSE CAST((
        counted.others * 3 - 1 - (
          counted.others * 3 - 1
        ) % 2
      ) / 2 AS DECIMAL(38, 0))
    END AS most
  FROM (
    SELECT
      placed.class,
      placed.n,
      CAST(SUM(CASE WHEN placed.place >= 2 THEN placed.n ELSE 0 END) OVER (PARTITION BY placed.class) AS DECIMAL(38, 0)) AS others
    FROM (
      SELECT
        class_value.class,
        CAST(class_value.n AS DECIMAL(38, 0)) AS n,
        ROW_NUMBER() OVER (
          PARTITION BY class_value.class
          ORDER BY class_value.n DESC, class_value.value NULLS FIRST
        ) AS place
      FROM class_value AS class_value
    ) AS placed
  ) AS counted
) AS capped
GROUP BY
  capped.class;
