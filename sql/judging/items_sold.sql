-- How many items does the original sell? One row.
SELECT COUNT(*) AS items FROM sold_before
