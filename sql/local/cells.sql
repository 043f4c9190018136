-- The combinations of cells with their rows, for the partition. One row is one combination.
SELECT combos.combo, combos.cell, combos.n FROM local_combos AS combos ORDER BY combos.combo
