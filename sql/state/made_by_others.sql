-- The tables, views, functions and types that the open state has, whoever made them. One row: the kind and the name of one; a table
-- of the schema of the state is left out. Nothing here is called but what DuckDB's own schema has.
-- after: attach_state
SELECT 'table' AS kind, tables.table_name AS name
FROM system.main.duckdb_tables() AS tables
WHERE tables.database_name = 'ordermade_state' AND tables.schema_name <> 'main'
UNION ALL
SELECT 'view', views.view_name
FROM system.main.duckdb_views() AS views
WHERE views.database_name = 'ordermade_state' AND NOT views.internal
UNION ALL
SELECT 'macro', functions.function_name
FROM system.main.duckdb_functions() AS functions
WHERE functions.database_name = 'ordermade_state' AND NOT functions.internal
UNION ALL
SELECT 'type', types.type_name
FROM system.main.duckdb_types() AS types
WHERE types.database_name = 'ordermade_state' AND NOT types.internal
ORDER BY 1, 2
