SELECT
  purchases.rowid AS record,
  purchases.customer,
  clusters.cluster,
  matched.slot,
  purchases."u1",
  purchases."u2",
  purchases."u3",
  purchases.item
FROM purchases
JOIN history_matched AS matched
  ON purchases.rowid = matched.record
JOIN history_clusters AS clusters
  ON purchases.customer = clusters.customer;
