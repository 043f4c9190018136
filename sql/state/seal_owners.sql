-- The owners of the rows of a table. One row: the least, the greatest, and the number of rows (stand-in: requests, id).
SELECT MIN(requests.id) AS least, MAX(requests.id) AS most, COUNT(*) AS rows FROM requests
