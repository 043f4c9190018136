-- The figures of a column. One row: its rows, those without a value, its different labels, those whose label is a
-- number or a span of numbers (`*` among neither), those of `*`, and the least and the greatest of these numbers.
SELECT
  COALESCE(SUM(place.n), 0) AS n,
  COALESCE(SUM(CASE WHEN place.label IS NULL THEN place.n ELSE 0 END), 0) AS missing,
  COUNT(DISTINCT place.label) AS labels,
  COALESCE(SUM(CASE WHEN place.low IS NULL AND place.high IS NULL THEN 0 ELSE place.n END), 0) AS in_numbers,
  COALESCE(SUM(CASE WHEN place.label = '*' THEN place.n ELSE 0 END), 0) AS stars,
  MIN(COALESCE(place.low, place.high)) AS least,
  MAX(COALESCE(place.high, place.low)) AS greatest
FROM place
