SELECT
  COUNT(*) AS combinations
FROM released_decided AS decided
WHERE
  NOT decided.suppressed
  AND CAST(decided."v1" AS TEXT) = '*'
  AND CAST(decided."v2" AS TEXT) = '*'
  AND CAST(decided."v3" AS TEXT) = '*'
  AND CAST(decided."v4" AS TEXT) = '*';
