-- What some records have in a column, as the database writes it, in the order asked for. One row is one of these records.
SELECT CAST(microdata.measured AS VARCHAR) AS label
FROM asked
JOIN microdata ON asked.record = microdata.rowid
ORDER BY asked.place
