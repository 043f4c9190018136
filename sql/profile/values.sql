-- The most frequent values of a column, each of which was counted. One row is one value.
-- $most = 2
SELECT CAST(counted.value AS VARCHAR) AS value, counted.n AS n
FROM counted
WHERE counted.value IS NOT NULL
ORDER BY n DESC, value
LIMIT $most
