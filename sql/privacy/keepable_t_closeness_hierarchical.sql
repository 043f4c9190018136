-- t-closeness, values as far apart as the hierarchy joins them late: the most units of a class that finer nodes can
-- keep. One row is one class. As where all values are equally far apart, but of the branches of all levels below `*`:
-- the sum over them of the lesser of the units kept and of m x their share of the dataset is at least (1 - t) m x levels.
-- t is $numerator / $denominator.
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
    everything.n * height.levels * ($denominator - $numerator) - placed.others * $denominator AS room
  FROM (
    SELECT
      part.class,
      part.size,
      CAST(SUM(part.n) OVER (
        PARTITION BY part.class ORDER BY part.beside NULLS FIRST, part.level NULLS FIRST, part.ancestor NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - part.n AS DECIMAL(38, 0)) AS rarest,
      CAST(SUM(part.branch_n) OVER (
        PARTITION BY part.class ORDER BY part.beside NULLS FIRST, part.level NULLS FIRST, part.ancestor NULLS FIRST
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      ) AS DECIMAL(38, 0)) AS others
    FROM (
      SELECT
        counted.class,
        counted.size,
        counted.level,
        counted.ancestor,
        counted.n,
        branch.n AS branch_n,
        CAST(counted.n AS DOUBLE) / CAST(branch.n AS DOUBLE) AS beside
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
      ) AS counted
      JOIN (
        SELECT value_level.level, value_level.ancestor, CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n
        FROM table_value
        JOIN value_level ON value_level.value = table_value.value
        GROUP BY value_level.level, value_level.ancestor
      ) AS branch ON branch.level = counted.level AND branch.ancestor = counted.ancestor
    ) AS part
  ) AS placed
  CROSS JOIN (SELECT CAST(SUM(table_value.n) AS DECIMAL(38, 0)) AS n FROM table_value) AS everything
  CROSS JOIN (SELECT CAST(COUNT(DISTINCT value_level.level) AS DECIMAL(38, 0)) AS levels FROM value_level) AS height
) AS bounded
GROUP BY bounded.class
