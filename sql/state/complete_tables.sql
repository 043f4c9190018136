-- The tables of registered datasets, to complete them. One row: a table after its source and a dot.
SELECT DISTINCT s.name || '.' || d.table_name AS name, '' AS note
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL AND d.table_name IS NOT NULL
ORDER BY 1
