SELECT
  purchases.rowid AS record,
  purchases.customer,
  member.cluster,
  CAST(purchases.rowid - member.start AS INT) AS slot,
  purchases."u1",
  purchases."u2",
  purchases."u3",
  purchases.item
FROM purchases
JOIN (
  SELECT
    clusters.customer,
    clusters.cluster,
    customers.start,
    MIN(customers.n) OVER (PARTITION BY clusters.cluster) AS shortest
  FROM history_clusters AS clusters
  JOIN history_customers AS customers
    ON clusters.customer = customers.number
) AS member
  ON purchases.customer = member.customer
WHERE
  purchases.rowid - member.start < member.shortest;
