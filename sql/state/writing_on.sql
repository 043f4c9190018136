-- Lets the connection write. No rows.
PRAGMA query_only = OFF
