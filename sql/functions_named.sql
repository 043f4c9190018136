-- The functions of these names: their kind, whether they give the same each time, and what a macro stands for. One row
-- is one form of a function.
-- $names = ['random', 'lower']
SELECT DISTINCT function_name, function_type, stability, internal, macro_definition
FROM duckdb_functions()
WHERE LOWER(function_name) IN (SELECT UNNEST($names))
ORDER BY ALL
