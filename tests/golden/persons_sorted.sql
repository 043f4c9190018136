SELECT
  released."v1",
  released."v2",
  released."v3",
  released."v4",
  released."v5",
  released.n
FROM (
  SELECT
    decided."v1",
    decided."v2",
    decided."v3",
    decided."v4",
    decided."v5",
    CAST(SUM(decided.n) AS BIGINT) AS n
  FROM released_decided AS decided
  WHERE
    NOT decided.suppressed
  GROUP BY
    decided."v1",
    decided."v2",
    decided."v3",
    decided."v4",
    decided."v5"
) AS released
ORDER BY
  released."v1" NULLS FIRST,
  released."v2" NULLS FIRST,
  released."v3" NULLS FIRST,
  released."v4" NULLS FIRST,
  released."v5" NULLS FIRST;
