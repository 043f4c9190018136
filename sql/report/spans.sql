-- The different spans of numbers of a column. One row is one span, with its rows; NULL is an open end.
-- $most = 2
SELECT place.low, place.high, CAST(SUM(place.n) AS BIGINT) AS n
FROM place
WHERE place.low IS NOT NULL OR place.high IS NOT NULL
GROUP BY place.low, place.high
ORDER BY place.low NULLS FIRST, place.high NULLS LAST
LIMIT $most
