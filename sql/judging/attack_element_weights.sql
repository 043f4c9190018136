-- The same as `attack_weights`, going by the sets of items. One row is one history.
-- $otherwise = 0.05
SELECT
  density.history,
  LIST(CAST(LN($otherwise + (1 - $otherwise) * density.summed / density.rows) AS FLOAT) ORDER BY density.bin) AS weights
FROM (
  SELECT
    attack_histories.history,
    attack_histories.rows,
    attack_bin_shares.bin,
    COALESCE(inside.weight / attack_bin_shares.share, 0) + attack_histories.rows - COALESCE(told.n, 0) AS summed
  FROM attack_histories
  CROSS JOIN attack_bin_shares
  LEFT JOIN (
    SELECT attack_sets.history, attack_bins.bin, SUM(attack_sets.n * element.share / attack_sets.share) AS weight
    FROM attack_sets
    JOIN released_sets ON attack_sets.item_set = released_sets.item_set
    JOIN attack_bins ON released_sets.element = attack_bins.value
    JOIN (
      SELECT attack_bins.value, attack_bins.n / SUM(attack_bins.n) OVER () AS share FROM attack_bins
    ) AS element ON released_sets.element = element.value
    GROUP BY attack_sets.history, attack_bins.bin
  ) AS inside ON inside.history = attack_histories.history AND inside.bin = attack_bin_shares.bin
  LEFT JOIN (
    SELECT attack_sets.history, SUM(attack_sets.n) AS n FROM attack_sets GROUP BY attack_sets.history
  ) AS told ON told.history = attack_histories.history
) AS density
GROUP BY density.history
