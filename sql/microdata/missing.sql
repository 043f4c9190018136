-- How many records have no number in a column (NULL), and how many one that nothing can be reckoned with (NaN, an
-- infinity)? One row.
SELECT
  COALESCE(SUM(CASE WHEN microdata.measured IS NULL THEN 1 ELSE 0 END), 0) AS missing,
  COALESCE(SUM(CASE WHEN NOT ISFINITE(microdata.measured) THEN 1 ELSE 0 END), 0) AS endless
FROM microdata
