-- Notes that a migration was applied.
-- $number = 9999
-- $name = '9999_example.sql'
-- $checksum = '0f0f'
-- $applied_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO migrations (number, name, checksum, applied_at) VALUES ($number, $name, $checksum, $applied_at)
