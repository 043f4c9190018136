-- t-closeness, all values equally far apart: the classes where a sensitive attribute is distributed more than t away
-- from the whole dataset. One row is one such class, with the distance: the share of its units that would have to have
-- another value; without the WHERE, one row is any class. t is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 5
SELECT
  class.class,
  CAST(class.moved AS DOUBLE) / (CAST(class.whole AS DOUBLE) * CAST(class.size AS DOUBLE)) AS figure
FROM (
  SELECT
    part.class,
    part.size,
    everything.n AS whole,
    SUM(CASE WHEN part.n * everything.n > part.table_n * part.size
      THEN part.n * everything.n - part.table_n * part.size ELSE 0 END) AS moved
  FROM (
    SELECT
      class_value.class,
      CAST(class_value.n AS DECIMAL(38, 0)) AS n,
      CAST(SUM(class_value.n) OVER (PARTITION BY class_value.class) AS DECIMAL(38, 0)) AS size,
      CAST(COALESCE(table_value.n, 0) AS DECIMAL(38, 0)) AS table_n
    FROM class_value
    LEFT JOIN table_value ON table_value.value = class_value.value
  ) AS part
  CROSS JOIN (SELECT CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n FROM table_value) AS everything
  GROUP BY part.class, part.size, everything.n
) AS class
WHERE class.moved * $denominator > $numerator * class.whole * class.size
