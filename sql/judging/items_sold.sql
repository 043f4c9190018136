-- How many items, or classes of them, does the original sell? One row.
SELECT COUNT(*) AS items FROM sold_before
