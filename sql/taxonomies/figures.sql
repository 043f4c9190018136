-- The reach of a taxonomy. One row: goods and records of the table (NULL left out), records without an item, and goods
-- and records that the taxonomy does not list.
SELECT
  COUNT(marginal.key) AS goods,
  COALESCE(SUM(CASE WHEN marginal.key IS NOT NULL THEN marginal.n END), 0) AS records,
  COALESCE(SUM(CASE WHEN marginal.key IS NULL THEN marginal.n END), 0) AS without_item,
  COALESCE(SUM(CASE WHEN marginal.key IS NOT NULL AND listed.key IS NULL THEN 1 END), 0) AS unsorted_goods,
  COALESCE(SUM(CASE WHEN marginal.key IS NOT NULL AND listed.key IS NULL THEN marginal.n END), 0) AS unsorted_records
FROM marginal
LEFT JOIN (SELECT DISTINCT keys.key FROM keys WHERE keys.key IS NOT NULL) AS listed ON listed.key = marginal.key
