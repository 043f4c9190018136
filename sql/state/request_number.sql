-- Gives the next number of a request, submitted or run: no two have the same. One row: the number.
SELECT 1 + MAX(number) AS number
FROM (
    SELECT 0 AS number
    UNION ALL
    SELECT MAX(id) FROM requests
    UNION ALL
    SELECT MAX(id) FROM submissions
)
