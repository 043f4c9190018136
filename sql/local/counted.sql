-- The dataset, counted for local recoding: the one query to the source, after which everything is added up. One row is
-- one combination of cells and of the values that are released as they are (of one person, where persons are
-- distinguished).
SELECT keys.cell AS qi, dataset.kept AS kept, dataset.id AS person, COUNT(*) AS n
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY keys.cell, dataset.kept, dataset.id
