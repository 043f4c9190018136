-- The values of a column, each of which was counted. One row is one value. For the first draft of a hierarchy, of
-- columns with few values.
SELECT DISTINCT CAST(counted.value AS VARCHAR) AS value FROM counted WHERE counted.value IS NOT NULL ORDER BY value
