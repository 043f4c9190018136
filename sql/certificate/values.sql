-- The values that occur together in the columns that a certificate speaks of, as the source groups them. One row is one
-- combination (of one person, where persons are counted), with the rows that have it.
SELECT dataset.code AS code, dataset.kept AS kept, COUNT(*) AS n FROM dataset GROUP BY dataset.code, dataset.kept
