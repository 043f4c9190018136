-- A table gets another name. Gives no row.
ALTER TABLE {made} RENAME TO {table}
