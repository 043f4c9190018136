-- The rows of given labels of a column. One row is one label that occurs.
-- $labels = ['E']
SELECT place.label, CAST(SUM(place.n) AS BIGINT) AS n
FROM place
WHERE place.label IN (SELECT wanted.label FROM (SELECT UNNEST($labels) AS label) AS wanted)
GROUP BY place.label
