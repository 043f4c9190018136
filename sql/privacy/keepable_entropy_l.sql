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
) AS twice
