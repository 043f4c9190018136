-- Settings of a session that reads: texts of values do not depend on the server's or the role's own settings. `$wait`:
-- milliseconds to wait for a lock. Functions, operators and types are the server's own, whatever others made; tables are named
-- with their schemas. The session is idle while the workspace calculates. One row.
SELECT
  COALESCE(pg_catalog.current_schema(), 'public') AS schema,
  pg_catalog.set_config('TimeZone', 'UTC', FALSE),
  pg_catalog.set_config('DateStyle', 'ISO, YMD', FALSE),
  pg_catalog.set_config('IntervalStyle', 'postgres', FALSE),
  pg_catalog.set_config('extra_float_digits', '1', FALSE),
  pg_catalog.set_config('lc_time', 'C', FALSE),
  pg_catalog.set_config('lc_numeric', 'C', FALSE),
  pg_catalog.set_config('lc_monetary', 'C', FALSE),
  pg_catalog.set_config('timezone_abbreviations', 'Default', FALSE),
  pg_catalog.set_config('quote_all_identifiers', 'off', FALSE),
  pg_catalog.set_config('bytea_output', 'hex', FALSE),
  pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', FALSE),
  pg_catalog.set_config('lock_timeout', $wait, FALSE),
  pg_catalog.set_config('idle_in_transaction_session_timeout', '0', FALSE),
  pg_catalog.current_setting('server_version_num')
