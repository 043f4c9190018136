SELECT
  later.number,
  BIT_OR(
    CASE
      WHEN earlier."q1_l0" = later."q1_l0"
      THEN earlier.bit
      ELSE CAST(0 AS USMALLINT)
    END
  ) AS q1_r0,
  BIT_OR(
    CASE WHEN earlier."c5" = later."c5" THEN earlier.bit ELSE CAST(0 AS USMALLINT) END
  ) AS r5
FROM combinations AS later
JOIN combinations AS earlier
  ON earlier.owner = later.owner AND earlier.place < later.place
GROUP BY
  later.number;
