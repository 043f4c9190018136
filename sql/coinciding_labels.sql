-- The finest and the coarsest level of a label that names different cells at two levels, of one attribute: no row where
-- each label names one set of cells.
SELECT MIN(sized.level) AS finest, MAX(sized.level) AS coarsest
FROM (
  SELECT label_cells.label, label_cells.level, COUNT(DISTINCT label_cells.cell) AS cells
  FROM label_cells
  GROUP BY label_cells.label, label_cells.level
) AS sized
JOIN (
  SELECT label_cells.label, COUNT(DISTINCT label_cells.cell) AS cells
  FROM label_cells
  GROUP BY label_cells.label
) AS everywhere ON sized.label = everywhere.label
GROUP BY sized.label
HAVING MIN(sized.cells) < MAX(everywhere.cells)
ORDER BY finest, coarsest
LIMIT 1
