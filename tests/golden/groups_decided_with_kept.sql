SELECT
  part."w1" AS "v1",
  CAST(part."a1" AS DOUBLE) AS "v2",
  keys_12.key AS "v3",
  own."v4" AS "v4",
  own.n,
  FALSE AS suppressed
FROM (
  SELECT
    assigned.number,
    microdata."v4",
    COUNT(*) AS n
  FROM microdata
  JOIN microdata_assigned AS assigned
    ON microdata.rowid = assigned.record
  GROUP BY
    assigned.number,
    microdata."v4"
) AS own
JOIN microdata_groups AS part
  ON own.number = part.number
JOIN keys_12
  ON part."a2" = keys_12.cell;
