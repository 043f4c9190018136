-- The list of released combinations before the first round: empty. One row is one combination, with its round.
SELECT combos.combo, 0 AS round FROM local_combos AS combos WHERE FALSE
