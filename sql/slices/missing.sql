-- The records without a usable value in a column: with none (NULL), with one that has no place among the others (NaN,
-- an infinity), and with a date that is in no calendar of people. One row: the three counts.
SELECT
  COALESCE(SUM(CASE WHEN microdata.measured IS NULL THEN 1 ELSE 0 END), 0) AS missing,
  COALESCE(SUM(CASE WHEN NOT ISFINITE(microdata.measured) THEN 1 ELSE 0 END), 0) AS endless,
  COALESCE(SUM(
    CASE WHEN NOT microdata.moment BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN 1 ELSE 0 END
  ), 0) AS beyond
FROM microdata
