-- Settings of a session that reads: texts of values do not depend on the server's or the role's own settings. `$wait`:
-- milliseconds to wait for a lock. The session is idle while the workspace calculates. One row.
SELECT
  set_config('TimeZone', 'UTC', FALSE),
  set_config('DateStyle', 'ISO, YMD', FALSE),
  set_config('IntervalStyle', 'postgres', FALSE),
  set_config('extra_float_digits', '1', FALSE),
  set_config('lc_time', 'C', FALSE),
  set_config('lc_numeric', 'C', FALSE),
  set_config('lc_monetary', 'C', FALSE),
  set_config('bytea_output', 'hex', FALSE),
  set_config('search_path', quote_ident(COALESCE(current_schema(), 'public')) || ', pg_catalog', FALSE),
  set_config('lock_timeout', $wait, FALSE),
  set_config('idle_in_transaction_session_timeout', '0', FALSE),
  current_schema(),
  current_setting('server_version_num')
