-- The class of each value of a sensitive attribute at each level of a hierarchy. One row is one value at one level.
-- $values = [0, 1, 0, 1]
-- $levels = [0, 0, 1, 1]
-- $ancestors = [0, 1, 0, 0]
SELECT UNNEST($values) AS value, UNNEST($levels) AS level, UNNEST($ancestors) AS ancestor
