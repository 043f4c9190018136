-- The combinations that rounds release. One row is one combination, with its round.
SELECT placed.combo, placed.round FROM local_placed AS placed
