-- The frequency set of persons: the number of rows of each person with each combination of cells. One row is one
-- combination of one person. The one heavy query of a request where persons are counted: distinct persons do not add
-- up, so they stay apart.
SELECT persons.code AS person, keys.cell AS qi, COUNT(*) AS n
FROM dataset
JOIN persons ON dataset.id = persons.key
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY persons.code, keys.cell
