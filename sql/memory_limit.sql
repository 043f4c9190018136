-- The limit of memory of this database. One row.
SELECT CAST(CURRENT_SETTING('memory_limit') AS VARCHAR) AS memory_limit
