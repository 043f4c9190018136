-- Mondrian.

-- name: pulled
-- The records that are to be parted into classes: of the dataset the columns needed and no other, with the numbers of
-- the values that a hierarchy or a model goes by, and of the persons. Where it matters which record comes first they
-- stand in the order of their own values, so that the order of the source reveals nothing. One row is one row of the
-- dataset.
SELECT keys.cell AS cell, dataset.measured AS measured, dataset.kept AS kept, persons.code AS person
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
LEFT JOIN persons ON dataset.id = persons.key
ORDER BY keys.cell, dataset.measured, dataset.kept, persons.key;

-- name: listed
-- The values of a column that occur among the records, as texts, in the order of the values. One row is one of them.
SELECT CAST(microdata.value AS VARCHAR) AS label
FROM microdata
GROUP BY CAST(microdata.value AS VARCHAR)
ORDER BY MIN(microdata.value) NULLS LAST, label;

-- name: written
-- The values of some records in a column, as the database writes them, in the order given. One row is one of these
-- records.
SELECT CAST(microdata.measured AS VARCHAR) AS label
FROM asked
JOIN microdata ON asked.record = microdata.rowid
ORDER BY asked.place;

-- name: own_of_combinations
-- The sensitive values and the persons of each group, by its combinations. One row is n rows of the dataset, of one
-- group, that have these alike.
SELECT assigned.number, keys.key AS kept, frequency_set.person, CAST(SUM(frequency_set.n) AS BIGINT) AS n
FROM frequency_set
JOIN microdata_assigned AS assigned ON frequency_set.rowid = assigned.record
JOIN keys ON frequency_set.cell = keys.cell
GROUP BY assigned.number, keys.key, frequency_set.person;

-- name: placed
-- The group of every combination of the quasi-identifiers: equal rows are never parted. One row is one combination.
SELECT frequency_set.cell, assigned.number
FROM frequency_set
JOIN microdata_assigned AS assigned ON frequency_set.rowid = assigned.record
GROUP BY frequency_set.cell, assigned.number;

-- name: own_of_rows
-- The kept columns and the persons of each group: the rows of the dataset, each put into the group of its combination.
-- One row is n rows of the dataset, of one group, that have these alike. The source runs the subquery `pulled`.
SELECT placed.number, pulled.kept, pulled.person, COUNT(*) AS n
FROM (
  SELECT keys.cell AS cell, dataset.kept AS kept, persons.code AS person
  FROM dataset
  LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
  LEFT JOIN persons ON dataset.id = persons.key
) AS pulled
JOIN microdata_placed AS placed ON pulled.cell = placed.cell
GROUP BY placed.number, pulled.kept, pulled.person;
