-- The values of a column that have a label at a level, without NULL, in their order. One row is one value.
SELECT labels.key, labels.label FROM labels WHERE labels.key IS NOT NULL
ORDER BY labels.key
