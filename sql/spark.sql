-- Spark as a source.

-- name: rename_table
-- A table gets another name. Gives no row.
ALTER TABLE {made} RENAME TO {table};
