-- The rows of a table (stand-in: requests), as the audit, replayed, is compared with them. One row: one of it.
SELECT * FROM requests
