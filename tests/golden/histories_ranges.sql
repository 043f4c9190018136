SELECT
  COUNT(*) AS n,
  MIN(purchases."u1") AS "u1_low",
  MAX(purchases."u1") AS "u1_high",
  COALESCE(SUM(CASE WHEN purchases."u1" < 0 THEN 1 ELSE 0 END), 0) AS "u1_negative",
  MIN(purchases."u2") AS "u2_low",
  MAX(purchases."u2") AS "u2_high",
  COALESCE(SUM(CASE WHEN purchases."u2" < 0 THEN 1 ELSE 0 END), 0) AS "u2_negative",
  MIN(purchases."u3") AS "u3_low",
  MAX(purchases."u3") AS "u3_high",
  COALESCE(SUM(CASE WHEN purchases."u3" < 0 THEN 1 ELSE 0 END), 0) AS "u3_negative"
FROM purchases;
