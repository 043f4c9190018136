-- The number of released combinations with * in every quasi-identifier, which star rows could be mixed up with. One
-- row.
SELECT COUNT(*) AS combinations FROM decided WHERE NOT decided.suppressed AND CAST(decided.value AS VARCHAR) = '*'
