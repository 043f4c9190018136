-- The rows of each class of a node with each sensitive value (of each person, where persons are counted). The source
-- itself runs it, without a stored frequency set. One row is one combination.
SELECT keys.level AS level, dataset.id AS person, COUNT(*) AS n
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
GROUP BY keys.level, dataset.id
