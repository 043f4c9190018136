-- The registered datasets, to complete names. One row: a dataset with its source, by name.
SELECT d.name, s.name AS note
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL
ORDER BY d.name
