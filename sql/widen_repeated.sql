-- The widened frequency set of persons with the bits of earlier combinations beside it. One row is one combination.
SELECT
  combinations.n,
  COALESCE(repeated.repeated, CAST(0 AS USMALLINT)) AS repeated
FROM combinations
LEFT JOIN repeated ON repeated.number = combinations.number
