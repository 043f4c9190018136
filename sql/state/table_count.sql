-- Counts the rows of a table (stand-in: requests). One row: their number.
SELECT COUNT(*) AS rows FROM requests
