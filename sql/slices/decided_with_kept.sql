-- The release of groups with columns that are kept as they are, decided: nothing is suppressed. One row is n rows of the
-- dataset: the values that their group shares, those of the kept columns that they have alike, and the number of their
-- person.
SELECT
  part.label,
  keys.key AS value,
  CAST(part.measured AS DOUBLE) AS measured,
  own.kept,
  own.person,
  own.n,
  FALSE AS suppressed
FROM (
  SELECT assigned.number, microdata.kept, microdata.person, COUNT(*) AS n
  FROM microdata
  JOIN microdata_assigned AS assigned ON microdata.rowid = assigned.record
  GROUP BY assigned.number, microdata.kept, microdata.person
) AS own
JOIN microdata_groups AS part ON own.number = part.number
JOIN keys ON part.cell = keys.cell
