-- Lets nothing be written on the connection. No rows.
PRAGMA query_only = ON
