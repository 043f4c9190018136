-- How many of the items sold most are still among so many sold most? One row.
-- $most = 2
SELECT COUNT(*) AS items
FROM (
  SELECT sold_before.element, ROW_NUMBER() OVER (ORDER BY sold_before.sold DESC, sold_before.element) AS place
  FROM sold_before
) AS before
JOIN (
  SELECT sold_after.element, ROW_NUMBER() OVER (ORDER BY ROUND(sold_after.sold, 6) DESC, sold_after.element) AS place
  FROM sold_after
) AS after ON before.element = after.element
WHERE before.place <= $most AND after.place <= $most
