-- The purchases that become alike by rank: those at the same place in the histories of a cluster, as far as its
-- shortest one goes. One row is one purchase that is released.
SELECT
  purchases.rowid AS record,
  purchases.customer,
  member.cluster,
  CAST(purchases.rowid - member.start AS INTEGER) AS slot,
  purchases.measured,
  purchases.item
FROM purchases
JOIN (
  SELECT
    clusters.customer,
    clusters.cluster,
    customers.start,
    MIN(customers.n) OVER (PARTITION BY clusters.cluster) AS shortest
  FROM history_clusters AS clusters
  JOIN history_customers AS customers ON clusters.customer = customers.number
) AS member ON purchases.customer = member.customer
WHERE purchases.rowid - member.start < member.shortest
