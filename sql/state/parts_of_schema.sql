-- Everything that the open state is made of. One row: a table, an index, a view or a trigger, with its statement.
SELECT type, name, tbl_name, sql
FROM sqlite_schema
WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY type, name
