-- The levels of each round. One row is one round.
-- $rounds = [1, 2]
-- $level = [0, 1]
SELECT UNNEST($rounds) AS round, UNNEST($level) AS level
