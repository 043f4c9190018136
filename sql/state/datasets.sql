-- Which datasets are registered? One row: a dataset with its source's name, by name.
-- after: dataset_insert
SELECT d.id, d.name, d.source_id, s.name AS source_name, d.table_name, d.query_text, d.query_hash, d.entity_column,
       d.added_at, d.removed_at
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL
ORDER BY d.name
