-- The extent of a release of histories. One row: the customers, and those in clusters; the purchases, and those
-- released; the customers with a purchase that is not; the fewest and the most that are released of a customer in a
-- cluster.
SELECT
  COUNT(*) AS customers,
  COUNT(kept.n) AS clustered,
  CAST(SUM(customers.n) AS BIGINT) AS rows,
  CAST(COALESCE(SUM(kept.n), 0) AS BIGINT) AS released,
  CAST(SUM(CASE WHEN customers.n > COALESCE(kept.n, 0) THEN 1 ELSE 0 END) AS BIGINT) AS incomplete,
  COALESCE(MIN(kept.n), 0) AS fewest,
  COALESCE(MAX(kept.n), 0) AS most
FROM history_customers AS customers
LEFT JOIN history_clusters AS clusters ON customers.number = clusters.customer
LEFT JOIN (
  SELECT slots.cluster, COUNT(*) AS n FROM history_slots AS slots GROUP BY slots.cluster
) AS kept ON clusters.cluster = kept.cluster
