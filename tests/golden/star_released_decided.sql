SELECT
  numbered."v1",
  numbered."v2",
  numbered."v3",
  numbered."v4",
  numbered."v5",
  numbered.person,
  numbered.n,
  NOT failing.class IS NULL AS suppressed
FROM released_numbered AS numbered
LEFT JOIN (
  SELECT DISTINCT
    suppressed.class
  FROM released_failing AS suppressed
) AS failing
  ON numbered.class = failing.class;
