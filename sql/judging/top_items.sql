-- The number of items sold most that are still among as many items sold most. One row.
-- $most = 2
SELECT COUNT(*) AS items
FROM (
  SELECT sold_before.item, ROW_NUMBER() OVER (ORDER BY sold_before.sold DESC, sold_before.item) AS place
  FROM sold_before
) AS before
JOIN (
  SELECT sold_after.item, ROW_NUMBER() OVER (ORDER BY ROUND(sold_after.sold, 6) DESC, sold_after.item) AS place
  FROM sold_after
) AS after ON before.item = after.item
WHERE before.place <= $most AND after.place <= $most
