SELECT
  microdata."w1",
  COUNT(*) AS n
FROM microdata
GROUP BY
  microdata."w1"
ORDER BY
  microdata."w1";
