SELECT
  CAST(part."a1" AS DOUBLE) AS "v1",
  keys_13.key AS "v2",
  part."a3" AS "v3",
  own."v4" AS "v4",
  own."v5" AS "v5",
  own.person,
  own.n,
  FALSE AS suppressed
FROM (
  SELECT
    assigned.number,
    microdata."v4",
    microdata."v5",
    microdata.person,
    COUNT(*) AS n
  FROM microdata
  JOIN microdata_assigned AS assigned
    ON microdata.rowid = assigned.record
  GROUP BY
    assigned.number,
    microdata."v4",
    microdata."v5",
    microdata.person
) AS own
JOIN microdata_groups AS part
  ON own.number = part.number
JOIN keys_13
  ON part."a2" = keys_13.cell;
