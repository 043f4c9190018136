-- The most frequent labels of a column. One row is one label, with its rows.
-- $most = 2
SELECT place.label, CAST(SUM(place.n) AS BIGINT) AS n
FROM place
WHERE place.label IS NOT NULL
GROUP BY place.label
ORDER BY n DESC, place.label
LIMIT $most
