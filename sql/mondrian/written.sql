-- The values of some records in a column, as the database writes them, in the order given. One row is one of these
-- records.
SELECT CAST(microdata.measured AS VARCHAR) AS label
FROM asked
JOIN microdata ON asked.record = microdata.rowid
ORDER BY asked.place
