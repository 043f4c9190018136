-- The purchases that become alike by matching: they have one slot in their cluster. One row is one purchase that is
-- released.
SELECT
  purchases.rowid AS record,
  purchases.customer,
  clusters.cluster,
  matched.slot,
  purchases.measured,
  purchases.item
FROM purchases
JOIN history_matched AS matched ON purchases.rowid = matched.record
JOIN history_clusters AS clusters ON purchases.customer = clusters.customer
