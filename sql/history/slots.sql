-- The slots of the clusters, with the loss of each. One row is one slot: its purchases n, the items in it, of each
-- number the interval that contains all and the summed error. A number that would lose more than without it is deleted:
-- its interval is NULL, each of its cells loses 1.
-- $spread = 1.5
SELECT
  part.cluster,
  part.slot,
  part.n,
  part.items,
  CASE WHEN part.error > part.n THEN NULL ELSE part.low END AS low,
  CASE WHEN part.error > part.n THEN NULL ELSE part.high END AS high,
  LEAST(part.error, part.n) AS error
FROM (
  SELECT
    one.cluster,
    one.slot,
    one.n,
    one.items,
    one.low,
    one.high,
    CASE
      WHEN one.low = one.high THEN 0.0
      ELSE CAST(
        2 * one.squares - 2 * (CAST(one.low AS HUGEINT) + one.high) * one.total
        + one.n * (CAST(one.low AS HUGEINT) * one.low + CAST(one.high AS HUGEINT) * one.high + one.high - one.low) AS DOUBLE
      ) / (CAST(2 * (CAST(one.high AS BIGINT) - one.low + 1) AS DOUBLE) * CAST($spread AS DOUBLE))
    END AS error
  FROM (
    SELECT
      placed.cluster,
      placed.slot,
      CAST(COUNT(*) AS INTEGER) AS n,
      LIST_SORT(LIST_DISTINCT(LIST(placed.item))) AS items,
      MIN(placed.measured) AS low,
      MAX(placed.measured) AS high,
      SUM(placed.measured) AS total,
      SUM(CAST(placed.measured AS HUGEINT) * placed.measured) AS squares
    FROM history_placed AS placed
    GROUP BY placed.cluster, placed.slot
  ) AS one
) AS part
