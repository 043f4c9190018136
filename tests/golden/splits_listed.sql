SELECT
  CAST(microdata."a3" AS TEXT) AS label
FROM microdata
GROUP BY
  CAST(microdata."a3" AS TEXT)
ORDER BY
  MIN(microdata."a3"),
  label;
