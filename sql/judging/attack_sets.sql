-- The sets of items of each history. One row is one of them: how many rows have it, and the share of the original's rows
-- whose items are in it.
SELECT held.history, held.item_set, held.n, share.share
FROM (
  SELECT attack_rows.history, attack_rows.item_set, COUNT(*) AS n
  FROM attack_rows
  GROUP BY attack_rows.history, attack_rows.item_set
) AS held
JOIN (
  SELECT released_sets.item_set, SUM(element.share) AS share
  FROM released_sets
  JOIN (
    SELECT attack_bins.value, attack_bins.n / SUM(attack_bins.n) OVER () AS share FROM attack_bins
  ) AS element ON released_sets.element = element.value
  GROUP BY released_sets.item_set
) AS share ON held.item_set = share.item_set
