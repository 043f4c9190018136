-- The query of a view as DuckDB parses it, in JSON; nothing of it is run. One row.
-- $query = 'SELECT 1'
SELECT JSON_SERIALIZE_SQL(CAST($query AS VARCHAR)) AS parsed
