-- Can the attached cache hold marginals? One row if it can, none if an older engine made it.
-- after: create_marginals
SELECT table_name FROM duckdb_tables() WHERE database_name = 'ordermade_cache' AND table_name = 'marginals'
