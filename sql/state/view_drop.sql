-- Drops a view (stand-in: requests), where there is one. No rows.
-- after: table_drop
DROP VIEW IF EXISTS requests
