SELECT
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    COUNT(DISTINCT decided.person) AS "size"
  FROM released_decided AS decided
  WHERE
    NOT decided.suppressed
  GROUP BY
    decided."v1",
    decided."v2",
    decided."v3",
    decided."v4"
) AS class
GROUP BY
  class.size;
