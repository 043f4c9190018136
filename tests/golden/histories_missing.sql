SELECT
  COALESCE(SUM(CASE WHEN microdata."customer" IS NULL THEN 1 ELSE 0 END), 0) AS "customer_missing",
  COALESCE(SUM(CASE WHEN microdata."u1" IS NULL THEN 1 ELSE 0 END), 0) AS "u1_missing",
  COALESCE(SUM(CASE WHEN NOT ISFINITE(microdata."u1") THEN 1 ELSE 0 END), 0) AS "u1_endless",
  COALESCE(
    SUM(
      CASE
        WHEN NOT microdata."u1" BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE)
        THEN 1
        ELSE 0
      END
    ),
    0
  ) AS "u1_beyond",
  COALESCE(SUM(CASE WHEN microdata."item" IS NULL THEN 1 ELSE 0 END), 0) AS "item_missing",
  COALESCE(SUM(CASE WHEN microdata."u2" IS NULL THEN 1 ELSE 0 END), 0) AS "u2_missing",
  COALESCE(SUM(CASE WHEN NOT ISFINITE(microdata."u2") THEN 1 ELSE 0 END), 0) AS "u2_endless",
  COALESCE(SUM(CASE WHEN microdata."u3" IS NULL THEN 1 ELSE 0 END), 0) AS "u3_missing"
FROM microdata;
