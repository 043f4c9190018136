-- A whole table (stand-in: requests). One row: a row of it.
SELECT * FROM requests
