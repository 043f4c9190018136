SELECT
  CAST(part."a1" AS DOUBLE) AS "v1",
  keys_13.key AS "v2",
  part."a3" AS "v3",
  part.n,
  FALSE AS suppressed
FROM microdata_groups AS part
JOIN keys_13
  ON part."a2" = keys_13.cell;
