-- Does any table or view of the source compare texts by a collation? One row: how many do.
SELECT COUNT(*) AS collated
FROM (
  SELECT sql AS definition FROM duckdb_tables() WHERE database_name = CURRENT_DATABASE()
  UNION ALL
  SELECT sql AS definition FROM duckdb_views() WHERE database_name = CURRENT_DATABASE() AND NOT internal
) AS defined
WHERE UPPER(defined.definition) LIKE '%COLLATE%'
