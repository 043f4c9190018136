-- The spread of the classes under one model of a sensitive attribute. One row: the least and the greatest of the
-- classes' figures, NULL where there is no class.
SELECT MIN(figures.figure) AS least, MAX(figures.figure) AS greatest
FROM figures
