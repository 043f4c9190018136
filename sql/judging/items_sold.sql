-- The number of items that the original sells. One row.
SELECT COUNT(*) AS items FROM sold_before
