SELECT
  released."v1",
  released."v2",
  released."v3",
  released."v4",
  released.n
FROM released
ORDER BY
  released."v1" NULLS FIRST,
  TRY_CAST(REGEXP_EXTRACT(CAST(released."v2" AS TEXT), '-?[0-9]+(\.[0-9]+)?') AS DOUBLE),
  released."v2" NULLS FIRST,
  released."v3" NULLS FIRST,
  released."v4" NULLS FIRST;
