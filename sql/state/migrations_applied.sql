-- The applied migrations. One row: a migration, in order.
SELECT number, name, checksum FROM migrations ORDER BY number
