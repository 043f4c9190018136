-- Notes the combinations that a round releases.
-- $round = 1
INSERT INTO local_placed SELECT part.combo, $round FROM local_round AS part
