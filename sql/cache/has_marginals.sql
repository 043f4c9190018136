-- The table of marginals of the attached cache. One row if it is there, none if an older engine made the cache.
-- after: create_marginals
SELECT table_name FROM duckdb_tables() WHERE database_name = 'ordermade_cache' AND table_name = 'marginals'
