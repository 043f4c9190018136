-- The released combinations without those of later rounds. One row is one combination, with its round.
-- $round = 1
SELECT placed.combo, placed.round FROM local_placed AS placed WHERE placed.round <= $round
