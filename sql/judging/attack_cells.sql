-- The intervals of each history in one column. One row is one of them: how many rows have it, and how many of the history
-- lie in bins up to its last one, and in bins from its first one on.
SELECT
  held.history,
  held.first,
  held.last,
  held.share,
  held.n,
  CAST(SUM(held.n) OVER (PARTITION BY held.history ORDER BY held.last) AS BIGINT) AS ended,
  CAST(SUM(held.n) OVER (PARTITION BY held.history ORDER BY held.first DESC) AS BIGINT) AS begun
FROM (
  SELECT attack_rows.history, attack_intervals.first, attack_intervals.last, attack_intervals.share, COUNT(*) AS n
  FROM attack_rows
  JOIN attack_intervals
    ON attack_rows.low_1 = attack_intervals.low AND attack_rows.high_1 = attack_intervals.high
  GROUP BY attack_rows.history, attack_intervals.first, attack_intervals.last, attack_intervals.share
) AS held
