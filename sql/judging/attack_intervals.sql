-- The intervals that are released of a column: their first and last bin, and their share of the original's rows (0: of no
-- value that there is). One row is one interval.
SELECT
  bounds.low,
  bounds.high,
  bounds.first,
  bounds.last,
  CASE WHEN bounds.first > bounds.last THEN 0 ELSE upto.upto - COALESCE(below.upto, 0) END AS share
FROM (
  SELECT
    inside.low,
    inside.high,
    COALESCE(least.bin, (SELECT MAX(attack_bins.bin) + 1 FROM attack_bins)) AS first,
    COALESCE(most.bin, 0) AS last
  FROM (
    SELECT DISTINCT attack_rows.low_1 AS low, attack_rows.high_1 AS high
    FROM attack_rows
    WHERE attack_rows.low_1 IS NOT NULL
  ) AS inside
  ASOF LEFT JOIN attack_bins AS least ON inside.low <= least.value
  ASOF LEFT JOIN attack_bins AS most ON inside.high >= most.value
) AS bounds
LEFT JOIN attack_bin_shares AS upto ON upto.bin = bounds.last
LEFT JOIN attack_bin_shares AS below ON below.bin = bounds.first - 1
