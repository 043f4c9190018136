SELECT
  CAST(microdata."a1" AS BIGINT) AS "a1",
  CAST(microdata."a2" AS INT) AS "a2",
  CAST(microdata."a3" AS TEXT) AS "a3",
  CAST(microdata."c14" AS INT) AS "c14",
  CAST(microdata."person" AS INT) AS "person",
  CAST(microdata."target" AS TEXT) AS "target"
FROM microdata;
