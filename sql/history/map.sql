-- The purchase behind each released row. Secret. One row is one released row, by its place in the release, with the
-- purchase as it was.
SELECT customers.key AS customer, goods.key AS item, purchases.measured AS measured, released.place AS place
FROM (
  SELECT sorted.slot, sorted.number, ROW_NUMBER() OVER () AS place
  FROM (SELECT sorted.slot, UNNEST(sorted.numbers) AS number FROM history_sorted AS sorted) AS sorted
) AS released
JOIN history_pseudonyms AS pseudonyms ON released.number = pseudonyms.number
JOIN history_placed AS placed ON pseudonyms.customer = placed.customer AND released.slot = placed.slot
JOIN purchases ON placed.record = purchases.rowid
JOIN history_customers AS customers ON purchases.customer = customers.number
JOIN history_goods AS goods ON purchases.item = goods.good
ORDER BY released.place
