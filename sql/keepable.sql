-- Privacy models: the most units of a class that finer nodes can keep.

-- name: alpha_k
-- (alpha, k)-anonymity: the most units of a class that finer nodes can keep. One row is one class. Of m units kept no
-- value has more than alpha m; so if the j commonest values have `commonest` units of the class, m <= j alpha m + size -
-- commonest, for every j. alpha is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 2
SELECT
  bounded.class,
  MIN(CASE WHEN bounded.room > 0
    THEN CAST((bounded.most - bounded.most % bounded.room) / bounded.room AS DECIMAL(38, 0)) ELSE bounded.size END) AS units
FROM (
  SELECT
    placed.class,
    placed.size,
    (placed.size - placed.commonest) * $denominator AS most,
    $denominator - placed.place * CAST($numerator AS DECIMAL(38, 0)) AS room
  FROM (
    SELECT
      class_value.class,
      ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC NULLS LAST, class_value.value NULLS FIRST) AS place,
      CAST(SUM(class_value.n) OVER (
        PARTITION BY class_value.class
        ORDER BY class_value.n DESC NULLS LAST, class_value.value NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38, 0)) AS commonest,
      CAST(SUM(class_value.n) OVER (PARTITION BY class_value.class) AS DECIMAL(38, 0)) AS size
    FROM class_value
  ) AS placed
) AS bounded
GROUP BY bounded.class;

-- name: distinct_l
-- Distinct l-diversity: the most units of a class that finer nodes can keep, where the class fails: none, as no part of
-- it has more values. One row is one class of `class_value`, which holds failing classes only.
-- $l = 2
SELECT class.class, CASE WHEN class.found < $l THEN 0 ELSE class.size END AS units
FROM (
  SELECT class_value.class, COUNT(*) AS found, SUM(class_value.n) AS size
  FROM class_value
  GROUP BY class_value.class
) AS class;

-- name: distinct_l_of_values
-- Distinct l-diversity where NULL is no value: the most units of a class that finer nodes can keep, where the class
-- fails: none, as no part of it has more values. One row is one class of `class_value`, which holds failing classes only.
-- $l = 2
SELECT class.class, CASE WHEN class.found < $l THEN 0 ELSE class.size END AS units
FROM (
  SELECT class_value.class, COUNT(*) - COUNT(missing_value.value) AS found, SUM(class_value.n) AS size
  FROM class_value
  LEFT JOIN missing_value ON missing_value.value = class_value.value
  GROUP BY class_value.class
) AS class;

-- name: entropy_l
-- Entropy l-diversity: the most units of a class that finer nodes can keep. One row is one class that fails. What is kept
-- has, as a whole, an entropy of ln l at least. Of all that have, the most units are kept where no value keeps more than
-- some cap, the same for each; units x (entropy - ln l), the `gap`, is concave in the cap. So Newton's method, from the
-- least cap that is the number of a value's units and too high, comes down towards the greatest one that will do, never
-- below it: two steps. l is $numerator / $denominator. 0.000000002 nats are more than the tolerance of the model and the
-- rounding of the logarithms together.
-- $numerator = 3
-- $denominator = 2
SELECT
  twice.class,
  CASE WHEN twice.bound < twice.size THEN CAST(FLOOR(twice.bound) AS DECIMAL(38, 0)) ELSE twice.size END AS units
FROM (
  WITH placed AS (
    SELECT
      class_value.class,
      CAST(class_value.n AS DOUBLE) AS cap,
      SUM(class_value.n) OVER (PARTITION BY class_value.class) AS size,
      CAST(SUM(class_value.n) OVER (
        PARTITION BY class_value.class ORDER BY class_value.n NULLS FIRST, class_value.value NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - class_value.n AS DOUBLE) AS rarer,
      SUM(CAST(class_value.n AS DOUBLE) * LN(CAST(class_value.n AS DOUBLE))) OVER (
        PARTITION BY class_value.class ORDER BY class_value.n NULLS FIRST, class_value.value NULLS FIRST
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - CAST(class_value.n AS DOUBLE) * LN(CAST(class_value.n AS DOUBLE)) AS n_ln_n,
      CAST(COUNT(*) OVER (
        PARTITION BY class_value.class ORDER BY class_value.n NULLS FIRST, class_value.value NULLS FIRST
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      ) AS DOUBLE) AS capped,
      LN(CAST($numerator AS DOUBLE) / CAST($denominator AS DOUBLE)) - 0.000000002 AS wanted
    FROM class_value
  ),
  measured AS (
    SELECT
      placed.class,
      placed.size,
      placed.rarer,
      placed.n_ln_n,
      placed.capped,
      placed.wanted,
      placed.cap,
      placed.rarer + placed.capped * placed.cap AS units,
      (placed.rarer + placed.capped * placed.cap) * (LN(placed.rarer + placed.capped * placed.cap) - placed.wanted)
      - placed.n_ln_n - placed.capped * placed.cap * LN(placed.cap) AS gap
    FROM placed
  ),
  first AS (
    SELECT
      measured.class,
      measured.size,
      measured.rarer,
      measured.n_ln_n,
      measured.capped,
      measured.wanted,
      measured.cap,
      measured.gap,
      measured.capped * (LN(measured.units) - LN(measured.cap) - measured.wanted) AS slope,
      ROW_NUMBER() OVER (PARTITION BY measured.class ORDER BY measured.cap NULLS FIRST, measured.capped DESC NULLS FIRST) AS place
    FROM measured
    WHERE measured.gap < 0
  ),
  once AS (
    SELECT
      first.class,
      first.size,
      first.rarer,
      first.n_ln_n,
      first.capped,
      first.wanted,
      CASE WHEN first.slope < 0 THEN GREATEST(first.cap - first.gap / first.slope, 0.000000001) ELSE first.cap END AS cap
    FROM first
    WHERE first.place = 1
  ),
  again AS (
    SELECT
      once.class,
      once.size,
      once.rarer,
      once.capped,
      once.cap,
      (once.rarer + once.capped * once.cap) * (LN(once.rarer + once.capped * once.cap) - once.wanted)
      - once.n_ln_n - once.capped * once.cap * LN(once.cap) AS gap,
      once.capped * (LN(once.rarer + once.capped * once.cap) - LN(once.cap) - once.wanted) AS slope
    FROM once
  )
  SELECT
    again.class,
    CAST(again.size AS DECIMAL(38, 0)) AS size,
    again.rarer + 0.000001 + again.capped
    * CASE WHEN again.slope < 0 THEN GREATEST(again.cap - again.gap / again.slope, 0.0) ELSE again.cap END AS bound
  FROM again
) AS twice;

-- name: recursive_cl
-- Recursive (c, l)-diversity: the most units of a class that finer nodes can keep. One row is one class. What is kept
-- satisfies the model, too, and its l-th commonest and all rarer values have no more units than those of the class; so no
-- value keeps as many as c times these. c is $numerator / $denominator.
-- $l = 2
-- $numerator = 1
-- $denominator = 1
SELECT
  capped.class,
  SUM(CASE WHEN capped.n > capped.most THEN capped.most ELSE capped.n END) AS units
FROM (
  SELECT
    counted.class,
    counted.n,
    CASE WHEN counted.others = 0 THEN 0 ELSE CAST((counted.others * $numerator - 1 - (counted.others * $numerator - 1) % $denominator)
      / $denominator AS DECIMAL(38, 0)) END AS most
  FROM (
    SELECT
      placed.class,
      placed.n,
      CAST(SUM(CASE WHEN placed.place >= $l THEN placed.n ELSE 0 END) OVER (PARTITION BY placed.class) AS DECIMAL(38, 0)) AS others
    FROM (
      SELECT
        class_value.class,
        CAST(class_value.n AS DECIMAL(38, 0)) AS n,
        ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC NULLS LAST, class_value.value NULLS FIRST) AS place
      FROM class_value
    ) AS placed
  ) AS counted
) AS capped
GROUP BY capped.class;

-- name: t_closeness_equal
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
GROUP BY bounded.class;

-- name: t_closeness_hierarchical
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
GROUP BY bounded.class;

-- name: t_closeness_ordered
-- t-closeness of an ordered attribute: the most units of a class that finer nodes can keep. One row is one class. A class
-- is no further away than its parts are in the mean: t at most those that are kept, 1 at most the others. `figures` has
-- the distances; what is rounded is rounded up. t is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 5
SELECT
  class.class,
  CASE WHEN class.bound < class.size THEN CAST(FLOOR(class.bound) AS DECIMAL(38, 0)) ELSE class.size END AS units
FROM (
  SELECT
    sized.class,
    CAST(sized.size AS DECIMAL(38, 0)) AS size,
    CAST(sized.size AS DOUBLE)
    * ((1 - figures.figure) * CAST($denominator AS DOUBLE) / CAST($denominator - $numerator AS DOUBLE) + 0.000000000001)
    + 0.000001 AS bound
  FROM (SELECT class_value.class, SUM(class_value.n) AS size FROM class_value GROUP BY class_value.class) AS sized
  JOIN figures ON figures.class = sized.class
) AS class;

-- name: units
-- The units that finer nodes can keep of the classes that fail a model. One row is one number of units (size): how many
-- classes that fail can keep so many of theirs at most, by whichever model allows the fewest. A class that `keepable` does not
-- bound can keep them all.
SELECT 0 AS node, 2 AS part, bounded.units AS size, 0 AS other, COUNT(*) AS n
FROM (
  SELECT failing.class, MIN(COALESCE(keepable.units, class_size.size)) AS units
  FROM failing
  JOIN class_size ON class_size.class = failing.class
  LEFT JOIN keepable ON keepable.class = failing.class
  GROUP BY failing.class
) AS bounded
GROUP BY bounded.units;
