-- t-closeness, values as far apart as the hierarchy joins them late: the classes where a sensitive attribute is
-- distributed more than t away from the whole dataset. One row is one such class, with the distance: the mean over the
-- levels below `*` of the share of its units that would have to be in another branch; without the WHERE, one row is any
-- class. t is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 5
SELECT
  class.class,
  CAST(class.moved AS DOUBLE)
  / (CAST(class.levels AS DOUBLE) * CAST(class.whole AS DOUBLE) * CAST(class.size AS DOUBLE)) AS figure
FROM (
  SELECT
    part.class,
    part.size,
    everything.n AS whole,
    height.levels,
    SUM(CASE WHEN part.n * everything.n > branch.n * part.size
      THEN part.n * everything.n - branch.n * part.size ELSE 0 END) AS moved
  FROM (
    SELECT
      sized.class,
      value_level.level,
      value_level.ancestor,
      CAST(sized.size AS DECIMAL(38, 0)) AS size,
      CAST(SUM(sized.n) AS DECIMAL(38, 0)) AS n
    FROM (
      SELECT
        class_value.class,
        class_value.value,
        class_value.n,
        SUM(class_value.n) OVER (PARTITION BY class_value.class) AS size
      FROM class_value
    ) AS sized
    JOIN value_level ON value_level.value = sized.value
    GROUP BY sized.class, sized.size, value_level.level, value_level.ancestor
  ) AS part
  JOIN (
    SELECT value_level.level, value_level.ancestor, CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n
    FROM table_value
    JOIN value_level ON value_level.value = table_value.value
    GROUP BY value_level.level, value_level.ancestor
  ) AS branch ON branch.level = part.level AND branch.ancestor = part.ancestor
  CROSS JOIN (SELECT CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n FROM table_value) AS everything
  CROSS JOIN (SELECT CAST(COUNT(DISTINCT value_level.level) AS DECIMAL(38, 0)) AS levels FROM value_level) AS height
  GROUP BY part.class, part.size, everything.n, height.levels
) AS class
WHERE class.moved * $denominator > $numerator * class.levels * class.whole * class.size
