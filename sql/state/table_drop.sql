-- Drops a table (stand-in: requests). No rows.
DROP TABLE requests
