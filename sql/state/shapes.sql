-- What the tables of a database are made of: columns with their types, defaults and whether they may be NULL, constraints,
-- indexes and sequences. One row: a part of a table, by the table, its kind and its name, and how it is made.
SELECT columns.table_name, 'column' AS kind, columns.column_name AS name,
    CONCAT_WS(' ', columns.data_type, columns.is_nullable, COALESCE(columns.column_default, 'NULL')) AS made
FROM system.main.duckdb_columns() AS columns
WHERE columns.database_name = CURRENT_DATABASE() AND columns.schema_name = 'main' AND NOT columns.internal
UNION ALL
SELECT constraints.table_name, 'constraint', constraints.constraint_text, ''
FROM system.main.duckdb_constraints() AS constraints
WHERE constraints.database_name = CURRENT_DATABASE() AND constraints.schema_name = 'main'
    AND constraints.constraint_type <> 'NOT NULL'
UNION ALL
SELECT indexes.table_name, 'index', indexes.index_name, indexes.sql
FROM system.main.duckdb_indexes() AS indexes
WHERE indexes.database_name = CURRENT_DATABASE() AND indexes.schema_name = 'main'
UNION ALL
SELECT sequences.sequence_name, 'sequence', sequences.sequence_name,
    CONCAT_WS(' ', sequences.increment_by, sequences.min_value, sequences.max_value, sequences.cycle)
FROM system.main.duckdb_sequences() AS sequences
WHERE sequences.database_name = CURRENT_DATABASE() AND sequences.schema_name = 'main'
ORDER BY 1, 2, 3
