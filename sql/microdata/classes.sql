-- The classes inside which records are grouped, in the order that the records stand in. One row is one class, with its rows.
SELECT microdata.level, COUNT(*) AS n
FROM microdata
GROUP BY microdata.level
ORDER BY microdata.level
