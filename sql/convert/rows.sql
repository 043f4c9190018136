-- A table of the earlier state (stand-in: requests). One row: a row of it.
SELECT * FROM before.requests
