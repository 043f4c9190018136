-- Microaggregation.

-- name: pulled
-- The records whose groups are sought: of the dataset the columns needed and no other, in the order of their own
-- values, class by class, so that the order of the source reveals nothing. One row is one row of the dataset.
SELECT keys.level AS level, dataset.measured AS measured, dataset.kept AS kept
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
ORDER BY keys.level, dataset.measured, dataset.kept;

-- name: classes
-- The classes inside which records are grouped, in the order that the records stand in. One row is one class, with its rows.
SELECT microdata.level, COUNT(*) AS n
FROM microdata
GROUP BY microdata.level
ORDER BY microdata.level;
