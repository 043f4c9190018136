SELECT
  bounded.class,
  MIN(
    CASE
      WHEN bounded.most < bounded.size * bounded.room
      THEN CAST((
        bounded.most - bounded.most % bounded.room
      ) / bounded.room AS DECIMAL(38, 0))
      ELSE bounded.size
    END
  ) AS units
FROM (
  SELECT
    placed.class,
    placed.size,
    placed.rarest * everything.n * 4 AS most,
    everything.n * (
      4 - 1
    ) - placed.others * 4 AS room
  FROM (
    SELECT
      part.class,
      CAST(SUM(part.n) OVER (PARTITION BY part.class) AS DECIMAL(38, 0)) AS size,
      CAST(SUM(part.n) OVER (
        PARTITION BY part.class
        ORDER BY part.beside NULLS FIRST, part.value NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - part.n AS DECIMAL(38, 0)) AS rarest,
      CAST(SUM(part.table_n) OVER (
        PARTITION BY part.class
        ORDER BY part.beside NULLS FIRST, part.value NULLS FIRST
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      ) AS DECIMAL(38, 0)) AS others
    FROM (
      SELECT
        class_value.class,
        class_value.value,
        CAST(class_value.n AS DECIMAL(38, 0)) AS n,
        CAST(COALESCE(table_value.n, 0) AS DECIMAL(38, 0)) AS table_n,
        CASE
          WHEN table_value.n > 0
          THEN CAST(class_value.n AS DOUBLE) / CAST(table_value.n AS DOUBLE)
        END AS beside
      FROM class_value AS class_value
      LEFT JOIN table_value AS table_value
        ON table_value.value = class_value.value
    ) AS part
  ) AS placed
  CROSS JOIN (
    SELECT
      CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n
    FROM table_value AS table_value
  ) AS everything
) AS bounded
GROUP BY
  bounded.class;
