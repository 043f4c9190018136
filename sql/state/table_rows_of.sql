-- The rows of a table (stand-in: requests, its key in place of id) of one owner. One row: a row of it.
-- $id = 1
SELECT * FROM requests WHERE id = $id
