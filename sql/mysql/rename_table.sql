-- Gives a table another name. Gives no row.
RENAME TABLE {made} TO {table}
