-- The combinations of cells, numbered, with their rows and with the class of each cell at every level. One row is one
-- combination.
SELECT ROW_NUMBER() OVER () AS combo, combination.cell, combination.n, keys.level AS level
FROM (
  SELECT local_counted.cell, SUM(local_counted.n) AS n FROM local_counted GROUP BY local_counted.cell
) AS combination
JOIN (SELECT DISTINCT keys.cell, keys.level FROM keys) AS keys ON combination.cell = keys.cell
