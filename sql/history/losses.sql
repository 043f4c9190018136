-- The loss of all slots: summed in whole units of 1e-12, so that the order of the slots changes nothing. One row: the
-- purchases in slots; of each number and of the items the error, the cells that are as they were and those that are
-- deleted.
SELECT
  COALESCE(SUM(slots.n), 0) AS rows,
  COALESCE(SUM(CAST(slots.error AS DECIMAL(38, 12))), 0) AS error,
  COALESCE(SUM(CASE WHEN slots.low = slots.high THEN slots.n ELSE 0 END), 0) AS kept,
  COALESCE(SUM(CASE WHEN slots.low IS NULL THEN slots.n ELSE 0 END), 0) AS deleted,
  COALESCE(SUM(CAST(slots.n * (1.0 - 1.0 / LENGTH(slots.items)) AS DECIMAL(38, 12))), 0) AS items_error,
  COALESCE(SUM(CASE WHEN LENGTH(slots.items) = 1 THEN slots.n ELSE 0 END), 0) AS items_kept,
  COALESCE(
    SUM(CAST(slots.n * (1.0 - 1.0 / LIST_SUM(LIST_SELECT(sizes.goods, slots.items))) AS DECIMAL(38, 12))), 0
  ) AS goods_error,
  COALESCE(
    SUM(CASE WHEN LIST_SUM(LIST_SELECT(sizes.goods, slots.items)) = 1 THEN slots.n ELSE 0 END), 0
  ) AS goods_kept
FROM history_slots AS slots
CROSS JOIN (SELECT LIST(items.goods ORDER BY items.item) AS goods FROM history_items AS items) AS sizes
