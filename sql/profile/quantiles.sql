-- The quantiles of a column of numbers or dates, whose values are counted. One row is a value that is at least one of
-- them: at `first`/$parts to `last`/$parts of the rows, from 0.
-- $parts = 4
SELECT CAST(placed.value AS VARCHAR) AS value, placed.first_part, placed.last_part
FROM (
  SELECT
    ranked.value,
    CASE WHEN ranked.upto = ranked.n THEN 0 ELSE CAST(FLOOR((ranked.upto - ranked.n) * $parts / ranked.total) AS BIGINT) + 1 END
      AS first_part,
    CAST(FLOOR(ranked.upto * $parts / ranked.total) AS BIGINT) AS last_part
  FROM (
    SELECT
      counted.value,
      counted.n,
      CAST(SUM(counted.n) OVER (ORDER BY counted.value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) AS upto,
      CAST(SUM(counted.n) OVER () AS DOUBLE) AS total
    FROM counted
    WHERE counted.value IS NOT NULL
  ) AS ranked
) AS placed
WHERE placed.last_part >= placed.first_part
ORDER BY placed.first_part
