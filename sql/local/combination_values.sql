-- The values of a sensitive attribute that occur in each combination of cells. One row is one value in one.
SELECT DISTINCT remaining.combo, remaining.code
FROM local_remaining AS remaining
