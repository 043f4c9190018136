-- The frequency set with the class of every cell at every coarser level beside it, so that a k-check needs no join.
-- One row is one combination of cells.
SELECT frequency_set.n, keys.level AS level
FROM frequency_set
JOIN (SELECT DISTINCT keys.cell, keys.level FROM keys) AS keys ON frequency_set.qi = keys.cell
