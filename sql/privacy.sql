-- Privacy models: the classes that fail.

-- name: alpha_k
-- (alpha, k)-anonymity: the classes with one value of a sensitive attribute more frequent than alpha. One row is one
-- such class, with the share of its commonest value; without the WHERE, one row is any class. alpha is $numerator /
-- $denominator.
-- $numerator = 1
-- $denominator = 2
SELECT class.class, CAST(class.commonest AS DOUBLE) / CAST(class.size AS DOUBLE) AS figure
FROM (
  SELECT
    class_value.class,
    CAST(MAX(class_value.n) AS DECIMAL(38, 0)) AS commonest,
    CAST(SUM(class_value.n) AS DECIMAL(38, 0)) AS size
  FROM class_value
  GROUP BY class_value.class
) AS class
WHERE class.commonest * $denominator > $numerator * class.size;

-- name: alpha_k_of_persons
-- (alpha, k)-anonymity where persons are counted, of whom one may have several values: the classes where more than
-- alpha of the persons share one value of a sensitive attribute. One row is one such class, with that share; without
-- the WHERE, one row is any class. alpha is $numerator / $denominator.
-- $numerator = 1
-- $denominator = 2
SELECT class.class, CAST(class.commonest AS DOUBLE) / CAST(class.size AS DOUBLE) AS figure
FROM (
  SELECT
    class_value.class,
    CAST(MAX(class_value.n) AS DECIMAL(38, 0)) AS commonest,
    CAST(MAX(class_size.size) AS DECIMAL(38, 0)) AS size
  FROM class_value
  JOIN class_size ON class_size.class = class_value.class
  GROUP BY class_value.class
) AS class
WHERE class.commonest * $denominator > $numerator * class.size;

-- name: distinct_l
-- Distinct l-diversity: the classes with fewer than l different values of a sensitive attribute. One row is one such
-- class, with the number of its values; without the WHERE, one row is any class.
-- $l = 2
SELECT class.class, class.figure
FROM (SELECT class_value.class, COUNT(*) AS figure FROM class_value GROUP BY class_value.class) AS class
WHERE class.figure < $l;

-- name: distinct_l_of_values
-- Distinct l-diversity where NULL is no value: the classes with fewer than l different values of a sensitive attribute
-- beside it. One row is one such class, with the number of these; without the WHERE, one row is any class.
-- $l = 2
SELECT class.class, class.figure
FROM (
  SELECT class_value.class, COUNT(*) - COUNT(missing_value.value) AS figure
  FROM class_value
  LEFT JOIN missing_value ON missing_value.value = class_value.value
  GROUP BY class_value.class
) AS class
WHERE class.figure < $l;

-- name: entropy_l
-- Entropy l-diversity: the classes where the entropy of a sensitive attribute is below ln l. One row is one such class,
-- with its entropy in nats; without the WHERE, one row is any class. l is $numerator / $denominator. A class on the
-- threshold passes: 0.000000001 nats are more than the rounding of the logarithms.
-- $numerator = 3
-- $denominator = 2
SELECT class.class, class.figure
FROM (
  SELECT
    class_value.class,
    LN(CAST(SUM(class_value.n) AS DOUBLE))
    - SUM(CAST(class_value.n AS DOUBLE) * LN(CAST(class_value.n AS DOUBLE))) / CAST(SUM(class_value.n) AS DOUBLE) AS figure
  FROM class_value
  GROUP BY class_value.class
) AS class
WHERE class.figure < LN(CAST($numerator AS DOUBLE) / CAST($denominator AS DOUBLE)) - 0.000000001;

-- name: extremes
-- The spread of the classes under one model of a sensitive attribute. One row: the least and the greatest of the
-- classes' figures, NULL where there is no class.
SELECT MIN(figures.figure) AS least, MAX(figures.figure) AS greatest
FROM figures;

-- name: recursive_cl
-- Recursive (c, l)-diversity: the classes where the commonest value of a sensitive attribute is not rarer than c times
-- the l-th commonest and all rarer ones together. One row is one such class, with these others / the commonest, which
-- must be greater than 1 / c; without the WHERE, one row is any class. c is $numerator / $denominator.
-- $l = 2
-- $numerator = 1
-- $denominator = 1
SELECT class.class, CAST(class.others AS DOUBLE) / CAST(class.commonest AS DOUBLE) AS figure
FROM (
  SELECT
    placed.class,
    MAX(placed.n) AS commonest,
    SUM(CASE WHEN placed.place >= $l THEN placed.n ELSE 0 END) AS others
  FROM (
    SELECT
      class_value.class,
      CAST(class_value.n AS DECIMAL(38, 0)) AS n,
      ROW_NUMBER() OVER (PARTITION BY class_value.class ORDER BY class_value.n DESC) AS place
    FROM class_value
  ) AS placed
  GROUP BY placed.class
) AS class
WHERE class.commonest * $denominator >= $numerator * class.others;

-- name: t_closeness_equal
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
WHERE class.moved * $denominator > $numerator * class.whole * class.size;

-- name: t_closeness_hierarchical
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
WHERE class.moved * $denominator > $numerator * class.levels * class.whole * class.size;

-- name: t_closeness_ordered
-- t-closeness of an ordered attribute (values 0.. in their order): the classes where it is distributed more than t away
-- from the whole dataset. One row is one such class, with the distance: the mean over the ranks but the last of how far
-- the shares up to the rank differ; without the WHERE, one row is any class. t is $numerator / $denominator. Between
-- two values of a class its share stays and the dataset's rises, so one crossing separates the ranks where the
-- dataset's is still the smaller one: the number of ranks up to which the dataset has fewer than `crossing` units.
-- $numerator = 1
-- $denominator = 5
SELECT
  class.class,
  CASE WHEN class.steps = 0 THEN 0.0 ELSE
    CAST(class.moved AS DOUBLE)
    / (CAST(class.steps AS DOUBLE) * CAST(class.whole AS DOUBLE) * CAST(class.size AS DOUBLE)) END AS figure
FROM (
  WITH cumulated AS (
    SELECT
      table_value.value,
      ROW_NUMBER() OVER (ORDER BY table_value.value NULLS FIRST) - 1 AS place,
      CAST(table_value.n AS DECIMAL(38, 0)) AS n,
      SUM(CAST(table_value.n AS DECIMAL(38, 0))) OVER (
        ORDER BY table_value.value NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS up_to
    FROM table_value
  ),
  ranks AS (
    SELECT
      cumulated.value,
      cumulated.place,
      cumulated.up_to,
      SUM(cumulated.up_to) OVER (
        ORDER BY cumulated.place NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - cumulated.up_to AS sum_before
    FROM cumulated
  ),
  everything AS (
    SELECT
      CAST(COUNT(*) AS DECIMAL(38, 0)) AS ranks,
      MAX(ranks.up_to) AS n,
      SUM(ranks.up_to) AS sum_of_all
    FROM ranks
  ),
  steps AS (
    SELECT
      class_value.class,
      class_value.value,
      LEAD(class_value.value) OVER (PARTITION BY class_value.class ORDER BY class_value.value NULLS FIRST) AS next_value,
      CAST(SUM(class_value.n) OVER (
        PARTITION BY class_value.class
        ORDER BY class_value.value NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38, 0)) AS up_to,
      CAST(SUM(class_value.n) OVER (PARTITION BY class_value.class) AS DECIMAL(38, 0)) AS size
    FROM class_value
  ),
  gaps AS (
    SELECT
      steps.class,
      steps.up_to,
      steps.size,
      start.place AS start,
      start.sum_before AS sum_before_start,
      COALESCE(until.place, everything.ranks) AS until,
      COALESCE(until.sum_before, everything.sum_of_all) AS sum_before_until,
      CAST((steps.up_to * everything.n + steps.size - 1 - (steps.up_to * everything.n + steps.size - 1) % steps.size)
        / steps.size AS DECIMAL(38, 0)) AS crossing
    FROM steps
    JOIN ranks AS start ON start.value = steps.value
    LEFT JOIN ranks AS until ON until.value = steps.next_value
    CROSS JOIN everything
  ),
  crossings AS (
    SELECT
      met.crossing,
      met.after_the_ranks,
      SUM(met.ranks) OVER (
        ORDER BY met.crossing NULLS FIRST, met.ranks NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS place,
      SUM(met.up_to) OVER (
        ORDER BY met.crossing NULLS FIRST, met.ranks NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS sum_before
    FROM (
      SELECT DISTINCT gaps.crossing, 1 AS after_the_ranks, 0 AS ranks, CAST(0 AS DECIMAL(38, 0)) AS up_to FROM gaps
      UNION ALL
      SELECT ranks.up_to, 0, 1, ranks.up_to FROM ranks
    ) AS met
  ),
  apart AS (
    SELECT
      gaps.class,
      gaps.size,
      gaps.up_to,
      gaps.start,
      gaps.until,
      gaps.sum_before_start,
      gaps.sum_before_until,
      CASE WHEN crossings.place < gaps.start THEN gaps.start
        WHEN crossings.place > gaps.until THEN gaps.until
        ELSE crossings.place END AS place,
      CASE WHEN crossings.place < gaps.start THEN gaps.sum_before_start
        WHEN crossings.place > gaps.until THEN gaps.sum_before_until
        ELSE crossings.sum_before END AS sum_before
    FROM gaps
    JOIN crossings ON crossings.crossing = gaps.crossing AND crossings.after_the_ranks = 1
  )
  SELECT
    apart.class,
    apart.size,
    everything.n AS whole,
    everything.ranks - 1 AS steps,
    MIN(apart.sum_before_start) * apart.size
    + SUM(
      everything.n * apart.up_to * (2 * apart.place - apart.start - apart.until)
      + apart.size * (apart.sum_before_start + apart.sum_before_until - 2 * apart.sum_before)
    ) AS moved
  FROM apart
  CROSS JOIN everything
  GROUP BY apart.class, apart.size, everything.n, everything.ranks
) AS class
WHERE class.moved * $denominator > $numerator * class.steps * class.whole * class.size;
