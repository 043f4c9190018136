SELECT
  CAST(microdata."a1" AS BIGINT) AS "a1",
  CAST(microdata."a2" AS INT) AS "a2"
FROM microdata;
