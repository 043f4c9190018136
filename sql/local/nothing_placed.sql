-- Where released combinations will be noted; nothing is released yet. One row is one combination, with its round.
SELECT combos.combo, 0 AS round FROM local_combos AS combos WHERE FALSE
