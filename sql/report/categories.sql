-- The combinations with the category of their labels, or the middle of their spans, for associations. One row is one
-- combination.
SELECT place.category, CASE WHEN place.low IS NOT NULL AND place.high IS NOT NULL THEN (place.low + place.high) / 2.0 END AS middle,
  SUM(coded.n) AS n
FROM coded
JOIN place ON coded.cell = place.cell
GROUP BY place.category, middle
