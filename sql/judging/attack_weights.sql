-- The expected frequency of each bin's values behind a history, relative to the whole original, by the history's cells
-- in one column. One row is one history: for each bin the logarithm of that ratio, a part of $otherwise of which comes
-- from other customers.
-- $otherwise = 0.05
SELECT
  density.history,
  LIST(
    CAST(LN($otherwise + (1 - $otherwise) * GREATEST(density.summed + density.silent, 0) / density.rows) AS FLOAT)
    ORDER BY density.bin
  ) AS weights
FROM (
  SELECT
    attack_histories.history,
    attack_histories.rows,
    attack_bin_shares.bin,
    attack_histories.rows - COALESCE(told.n, 0) AS silent,
    SUM(COALESCE(change.weight, 0)) OVER (
      PARTITION BY attack_histories.history ORDER BY attack_bin_shares.bin ROWS UNBOUNDED PRECEDING
    ) AS summed
  FROM attack_histories
  CROSS JOIN attack_bin_shares
  LEFT JOIN (
    SELECT step.history, step.bin, SUM(step.weight) AS weight
    FROM (
      SELECT attack_cells.history, attack_cells.first AS bin, attack_cells.n / attack_cells.share AS weight
      FROM attack_cells
      WHERE attack_cells.share > 0
      UNION ALL
      SELECT attack_cells.history, attack_cells.last + 1 AS bin, -attack_cells.n / attack_cells.share AS weight
      FROM attack_cells
      WHERE attack_cells.share > 0
    ) AS step
    GROUP BY step.history, step.bin
  ) AS change ON change.history = attack_histories.history AND change.bin = attack_bin_shares.bin
  LEFT JOIN (
    SELECT attack_cells.history, SUM(attack_cells.n) AS n FROM attack_cells GROUP BY attack_cells.history
  ) AS told ON told.history = attack_histories.history
) AS density
GROUP BY density.history
