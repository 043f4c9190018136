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
GROUP BY placed.number, pulled.kept, pulled.person
