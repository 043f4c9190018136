-- The number of the source's tables and views that compare texts by a collation. One row.
SELECT COUNT(*) AS collated
FROM (
  SELECT sql AS definition FROM duckdb_tables() WHERE database_name = CURRENT_DATABASE()
  UNION ALL
  SELECT sql AS definition FROM duckdb_views() WHERE database_name = CURRENT_DATABASE() AND NOT internal
) AS defined
WHERE UPPER(defined.definition) LIKE '%COLLATE%'
