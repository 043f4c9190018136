-- The migrations that the earlier state has gone through. One row: a migration.
SELECT number, name, checksum FROM before.migrations ORDER BY number
