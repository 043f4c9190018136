-- How many records have no value in a column (NULL), and how many one that has no place among the others (NaN, an
-- infinity)? One row.
SELECT
  COALESCE(SUM(CASE WHEN microdata.measured IS NULL THEN 1 ELSE 0 END), 0) AS missing,
  COALESCE(SUM(CASE WHEN NOT ISFINITE(microdata.measured) THEN 1 ELSE 0 END), 0) AS endless
FROM microdata
