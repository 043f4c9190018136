-- How many purchases have a number that is no whole number of units? Floating-point numbers are held against the number
-- nearest to those units, decimals are counted exactly. One row.
SELECT
  COALESCE(SUM(
    CASE
      WHEN ABS(CAST(microdata.measured AS DOUBLE)) * 100 <= 1024
        AND CAST(ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5) * 5 / 100 AS DOUBLE) = microdata.measured THEN 0
      ELSE 1
    END
  ), 0) AS floats,
  COALESCE(SUM(CASE WHEN CAST(microdata.decimals AS HUGEINT) * 2 % 3 = 0 THEN 0 ELSE 1 END), 0) AS decimals
FROM microdata
