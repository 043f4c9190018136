SELECT
  CAST(microdata."a1" AS TEXT) AS label
FROM microdata_to_write AS asked
JOIN microdata AS microdata
  ON asked.record = microdata."rowid"
ORDER BY
  asked.place;
