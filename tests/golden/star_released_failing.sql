SELECT
  class.class
FROM released_classes AS class
WHERE
  class.units < 2
UNION ALL
SELECT
  class.class
FROM (
  SELECT
    class_value.class,
    COUNT(*) AS figure
  FROM released_values_v5 AS class_value
  GROUP BY
    class_value.class
) AS class
WHERE
  class.figure < 2
UNION ALL
SELECT
  class.class
FROM (
  SELECT
    part.class,
    part.size,
    everything.n AS whole,
    SUM(
      CASE
        WHEN part.n * everything.n > part.table_n * part.size
        THEN part.n * everything.n - part.table_n * part.size
        ELSE 0
      END
    ) AS moved
  FROM (
    SELECT
      class_value.class,
      CAST(class_value.n AS DECIMAL(38, 0)) AS n,
      CAST(SUM(class_value.n) OVER (PARTITION BY class_value.class) AS DECIMAL(38, 0)) AS size,
      CAST(COALESCE(table_value.n, 0) AS DECIMAL(38, 0)) AS table_n
    FROM released_values_v5 AS class_value
    LEFT JOIN (
      SELECT
        sensitive.cell AS value,
        sensitive.n
      FROM keys_5 AS sensitive
    ) AS table_value
      ON table_value.value = class_value.value
  ) AS part
  CROSS JOIN (
    SELECT
      CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n
    FROM (
      SELECT
        sensitive.cell AS value,
        sensitive.n
      FROM keys_5 AS sensitive
    ) AS table_value
  ) AS everything
  GROUP BY
    part.class,
    part.size,
    everything.n
) AS class
WHERE
  class.moved * 2 > 1 * class.whole * class.size;
