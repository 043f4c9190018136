-- t-closeness, all values equally far apart: the most units of a class that finer nodes can keep. One row is one class.
-- What is kept, m units, is t close as a whole: the sum over its values of the lesser of their units and of m x their
-- share of the dataset is at least (1 - t) m. So (1 - t - others) m <= rarest, whatever values are called the rarest:
-- these have `rarest` units of the class, its others the share `others` of the dataset. t is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 5
SELECT
  bounded.class,
  MIN(CASE WHEN bounded.most < bounded.size * bounded.room
    THEN CAST((bounded.most - bounded.most % bounded.room) / bounded.room AS DECIMAL(38, 0)) ELSE bounded.size END) AS units
FROM (
  SELECT
    placed.class,
    placed.size,
    placed.rarest * everything.n * $denominator AS most,
    everything.n * ($denominator - $numerator) - placed.others * $denominator AS room
  FROM (
    SELECT
      part.class,
      CAST(SUM(part.n) OVER (PARTITION BY part.class) AS DECIMAL(38, 0)) AS size,
      CAST(SUM(part.n) OVER (
        PARTITION BY part.class ORDER BY part.beside NULLS FIRST, part.value NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - part.n AS DECIMAL(38, 0)) AS rarest,
      CAST(SUM(part.table_n) OVER (
        PARTITION BY part.class ORDER BY part.beside NULLS FIRST, part.value NULLS FIRST
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      ) AS DECIMAL(38, 0)) AS others
    FROM (
      SELECT
        class_value.class,
        class_value.value,
        CAST(class_value.n AS DECIMAL(38, 0)) AS n,
        CAST(COALESCE(table_value.n, 0) AS DECIMAL(38, 0)) AS table_n,
        CASE WHEN table_value.n > 0 THEN CAST(class_value.n AS DOUBLE) / CAST(table_value.n AS DOUBLE) END AS beside
      FROM class_value
      LEFT JOIN table_value ON table_value.value = class_value.value
    ) AS part
  ) AS placed
  CROSS JOIN (SELECT CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n FROM table_value) AS everything
) AS bounded
GROUP BY bounded.class
