SELECT
  COALESCE(SUM(CASE WHEN microdata."a1" IS NULL THEN 1 ELSE 0 END), 0) AS "a1_missing"
FROM microdata;
