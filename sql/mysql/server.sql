-- The database of the session and the server's version: one row.
SELECT DATABASE() AS `schema`, VERSION() AS version, CONNECTION_ID() AS session
