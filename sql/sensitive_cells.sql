-- The values of a sensitive attribute, numbered in their order, NULL last. One row is one value: its number, and the
-- rows (or persons) of the whole dataset with it.
SELECT marginal.key, ROW_NUMBER() OVER (ORDER BY marginal.key NULLS LAST) - 1 AS cell, marginal.n
FROM marginal
