-- The classes of a written release with a value of a sensitive attribute that the dataset does not have. One row is one
-- class.
SELECT numbered.class
FROM numbered
LEFT JOIN sensitive ON numbered.value IS NOT DISTINCT FROM sensitive.key
WHERE sensitive.cell IS NULL
GROUP BY numbered.class
