SELECT
  COALESCE(SUM(CASE WHEN microdata."a1" IS NULL THEN 1 ELSE 0 END), 0) AS "a1_missing",
  COALESCE(SUM(CASE WHEN microdata."a3" IS NULL THEN 1 ELSE 0 END), 0) AS "a3_missing"
FROM microdata;
