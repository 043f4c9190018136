-- The distribution of a sensitive attribute over the whole dataset. One row is one value by its number: n rows (or
-- persons) have it.
SELECT sensitive.cell AS value, sensitive.n FROM sensitive
