SELECT
  CASE WHEN released.star THEN '*' ELSE CAST(released."v1" AS TEXT) END AS "v1",
  CASE WHEN released.star THEN '*' ELSE CAST(released."v2" AS TEXT) END AS "v2",
  CASE WHEN released.star THEN '*' ELSE CAST(released."v3" AS TEXT) END AS "v3",
  CASE WHEN released.star THEN '*' ELSE CAST(released."v4" AS TEXT) END AS "v4",
  CASE WHEN released.star THEN '*' ELSE CAST(released."v5" AS TEXT) END AS "v5",
  CASE WHEN released.star THEN '*' ELSE CAST(released."v6" AS TEXT) END AS "v6",
  released.n
FROM (
  SELECT
    shown."v1",
    shown."v2",
    shown."v3",
    shown."v4",
    shown."v5",
    shown."v6",
    shown.n,
    FALSE AS star
  FROM (
    SELECT
      decided."v1",
      decided."v2",
      decided."v3",
      decided."v4",
      decided."v5",
      pseudonym.number AS "v6",
      CAST(SUM(decided.n) AS BIGINT) AS n
    FROM released_decided AS decided
    JOIN released_pseudonyms AS pseudonym
      ON decided.person = pseudonym.person
    WHERE
      NOT decided.suppressed
    GROUP BY
      decided."v1",
      decided."v2",
      decided."v3",
      decided."v4",
      decided."v5",
      pseudonym.number
  ) AS shown
  UNION ALL
  SELECT
    NULL AS "v1",
    NULL AS "v2",
    NULL AS "v3",
    NULL AS "v4",
    NULL AS "v5",
    NULL AS "v6",
    2 AS "n",
    TRUE AS star
) AS released
ORDER BY
  released.star,
  released."v1" NULLS FIRST,
  released."v2" NULLS FIRST,
  released."v3" NULLS FIRST,
  released."v4" NULLS FIRST,
  released."v5" NULLS FIRST,
  released."v6" NULLS FIRST;
