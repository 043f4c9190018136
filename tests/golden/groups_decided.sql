SELECT
  part."w1" AS "v1",
  CAST(part."a1" AS DOUBLE) AS "v2",
  keys_12.key AS "v3",
  part.n,
  FALSE AS suppressed
FROM microdata_groups AS part
JOIN keys_12
  ON part."a2" = keys_12.cell;
