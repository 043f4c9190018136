-- The list of counts of values in the attached cache. One row if it is there, none if an older engine made the cache.
-- after: create_value_counts
SELECT table_name FROM duckdb_tables() WHERE database_name = 'ordermade_cache' AND table_name = 'value_counts'
