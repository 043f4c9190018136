-- The tables and views of a SQLite database. One row is one of them, with the text that made it. Its own are left out.
SELECT sqlite_master.name, sqlite_master.type, sqlite_master.sql
FROM sqlite_master
WHERE sqlite_master.type IN ('table', 'view') AND SUBSTRING(sqlite_master.name, 1, 7) <> 'sqlite_'
ORDER BY sqlite_master.name
