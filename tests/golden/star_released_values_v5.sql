SELECT
  numbered.class,
  sensitive.cell AS value,
  COUNT(DISTINCT numbered.person) AS "n"
FROM released_numbered AS numbered
JOIN keys_5 AS sensitive
  ON CAST("numbered"."v5" AS TEXT) IS NOT DISTINCT FROM sensitive.key
GROUP BY
  numbered.class,
  sensitive.cell;
