SELECT
  part."w1" AS "v1",
  CAST(part."a1" AS DOUBLE) AS "v2",
  keys_12.key AS "v3",
  microdata."v4" AS "v4",
  1 AS n,
  FALSE AS suppressed
FROM microdata
JOIN microdata_assigned AS assigned
  ON microdata.rowid = assigned.record
JOIN microdata_groups AS part
  ON assigned.number = part.number
JOIN keys_12
  ON part."a2" = keys_12.cell;
