-- The records that are to be parted into classes: of the dataset the columns needed and no other, with the numbers of
-- the values that a hierarchy or a model goes by, and of the persons. Where it matters which record comes first they
-- stand in the order of their own values, so that the order of the source reveals nothing. One row is one row of the
-- dataset.
SELECT keys.cell AS cell, dataset.measured AS measured, dataset.kept AS kept, persons.code AS person
FROM dataset
LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
LEFT JOIN persons ON dataset.id = persons.key
ORDER BY keys.cell, dataset.measured, dataset.kept, persons.key
