-- The persons of the dataset, where one may have several rows. One row is one person: a number instead of the
-- identifying value (any order will do), and the rows. The source runs the subquery `counted`.
SELECT counted.key, ROW_NUMBER() OVER () AS code, counted.n
FROM (SELECT dataset.id AS key, COUNT(*) AS n FROM dataset GROUP BY dataset.id) AS counted
