-- The release, counted: one row is one combination of released values, n rows of the dataset have it.
SELECT labels.label AS value, dataset.kept AS kept, COUNT(*) AS n
FROM dataset
LEFT JOIN labels ON dataset.code IS NOT DISTINCT FROM labels.key
GROUP BY labels.label, dataset.kept
