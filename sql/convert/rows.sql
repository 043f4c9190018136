-- A table of the earlier state (stand-in: requests, and id for its key), in the order of its key. One row: a row of it.
SELECT * FROM before.requests ORDER BY id
