SELECT
  CAST(part."a1" AS DOUBLE) AS "v1",
  keys_13.key AS "v2",
  part."a3" AS "v3",
  microdata."v4" AS "v4",
  microdata."v5" AS "v5",
  microdata.person,
  1 AS n,
  FALSE AS suppressed
FROM microdata
JOIN microdata_assigned AS assigned
  ON microdata.rowid = assigned.record
JOIN microdata_groups AS part
  ON assigned.number = part.number
JOIN keys_13
  ON part."a2" = keys_13.cell;
