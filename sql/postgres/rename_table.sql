-- Gives a table another name in its schema. Gives no row.
ALTER TABLE {table} RENAME TO {name}
