SELECT
  COALESCE(SUM(purchases."u1"), 0) AS "u1_total",
  COALESCE(SUM(CAST(purchases."u1" AS INT128) * purchases."u1"), 0) AS "u1_squares",
  COALESCE(SUM(purchases."u2"), 0) AS "u2_total",
  COALESCE(SUM(CAST(purchases."u2" AS INT128) * purchases."u2"), 0) AS "u2_squares",
  COALESCE(SUM(purchases."u3"), 0) AS "u3_total",
  COALESCE(SUM(CAST(purchases."u3" AS INT128) * purchases."u3"), 0) AS "u3_squares"
FROM purchases;
