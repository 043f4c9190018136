-- Whether anything is in the state: the least that a statement can read of it. One row: the number of its tables.
SELECT COUNT(*) AS tables FROM sqlite_schema WHERE type = 'table'
