-- The settings of a MariaDB or MySQL server for its user: version, time zone, encoding, collation,
-- whether it takes writes. One row.
SELECT
  VERSION() AS version,
  CURRENT_USER() AS `user`,
  IF(@@global.time_zone = 'SYSTEM', @@system_time_zone, @@global.time_zone) AS time_zone,
  @@character_set_database AS encoding,
  @@collation_database AS collation,
  @@global.read_only AS is_read_only
