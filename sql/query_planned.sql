-- How DuckDB would answer a query, in JSON: its functions with the types that they are given. Nothing of it is run. One row.
-- $query = 'SELECT 1'
SELECT JSON_SERIALIZE_PLAN(CAST($query AS VARCHAR)) AS planned
