-- Empties a table (stand-in: requests). No rows.
DELETE FROM requests
