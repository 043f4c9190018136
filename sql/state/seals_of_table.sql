-- The seals of a table. One row: a seal, with the key of its row.
-- $table_name = 'requests'
SELECT owner, part, seal FROM seals WHERE table_name = $table_name
