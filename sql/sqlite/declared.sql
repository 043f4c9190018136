-- The declared types of the columns of a table of a SQLite database. One row is one column.
-- $name = 'dataset'
SELECT info.name, info.type FROM PRAGMA_TABLE_INFO($name) AS info
