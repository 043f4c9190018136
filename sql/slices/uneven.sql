-- The number of records with a number that is no whole number of units. A floating-point number is a whole one if it is
-- as near to it as its type can represent, or nearer than half a millionth of a unit, as computed values are (a
-- millionth may be a unit itself); decimals are counted exactly. One row.
SELECT
  COALESCE(SUM(
    CASE
      WHEN ABS(CAST(microdata.measured AS DOUBLE)) * 100 <= 1024
        AND (
          CAST(ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5) * 5 / 100 AS DOUBLE) = microdata.measured
          OR ABS(
            CAST(microdata.measured AS DOUBLE) * 100 / 5 - ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5)
          ) < 0.0000005
        ) THEN 0
      ELSE 1
    END
  ), 0) AS floats,
  COALESCE(SUM(CASE WHEN CAST(microdata.decimals AS HUGEINT) * 2 % 3 = 0 THEN 0 ELSE 1 END), 0) AS decimals
FROM microdata
