-- The label of NULL, where a column has it. One row at most.
SELECT labels.label FROM labels WHERE labels.key IS NULL
