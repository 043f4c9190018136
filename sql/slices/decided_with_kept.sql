-- The release of groups with columns that are kept as they are, decided: nothing is suppressed. One row is one row of
-- the dataset: the values that its group shares, its own of the kept columns, and the number of its person.
SELECT
  part.label,
  keys.key AS value,
  CAST(part.measured AS DOUBLE) AS measured,
  microdata.kept,
  microdata.person,
  1 AS n,
  FALSE AS suppressed
FROM microdata
JOIN microdata_assigned AS assigned ON microdata.rowid = assigned.record
JOIN microdata_groups AS part ON assigned.number = part.number
JOIN keys ON part.cell = keys.cell
