-- The classes that each cell of one attribute belongs to. One row is one cell.
SELECT DISTINCT keys.cell, keys.level FROM keys
