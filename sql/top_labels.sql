-- The label of each cell of one attribute at the top. One row is one cell.
SELECT DISTINCT keys.cell, 2 AS level, '*' AS label FROM keys
