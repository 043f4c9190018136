SELECT
  combinations.n,
  combinations.rows,
  combinations.owner,
  combinations.person,
  combinations.place,
  combinations.q1_l0,
  combinations.c5,
  COALESCE(repeated."q1_r0", CAST(0 AS USMALLINT)) AS q1_r0,
  COALESCE(repeated."r5", CAST(0 AS USMALLINT)) AS r5
FROM combinations
LEFT JOIN repeated
  ON repeated.number = combinations.number;
