-- The settings of a PostgreSQL server for its role: version, time zone, encoding, collation, TLS,
-- whether a table that stays may be made: TEMPORARY is no right to write. One row.
SELECT
  current_setting('server_version') AS version,
  current_user::TEXT AS "user",
  (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'TimeZone') AS time_zone,
  pg_catalog.pg_encoding_to_char(database.encoding)::TEXT AS encoding,
  database.datcollate::TEXT AS collation,
  (SELECT version FROM pg_catalog.pg_stat_ssl WHERE pid = pg_catalog.pg_backend_pid() AND ssl) AS tls,
  pg_catalog.pg_is_in_recovery() AS is_standby,
  (SELECT reset_val = 'on' FROM pg_catalog.pg_settings WHERE name = 'default_transaction_read_only') AS is_read_only,
  has_database_privilege(database.oid, 'CREATE') OR EXISTS (
    SELECT 1
    FROM pg_catalog.pg_namespace AS namespace
    WHERE namespace.nspname NOT LIKE 'pg\_%' AND namespace.nspname <> 'information_schema'
      AND has_schema_privilege(namespace.oid, 'CREATE')
  ) AS may_create
FROM pg_catalog.pg_database AS database
WHERE database.datname = current_database()
