-- What the sources and datasets of a restored state may less than those of the copy. One row: what was taken from one.
-- after: attach_state, attach_restored, restored_datasets
SELECT 'the rights of source' AS what, b.name
FROM ordermade_restored.sources AS b
JOIN sources AS m ON m.id = b.id
WHERE b.removed_at IS NULL
  AND (m.writable <> b.writable OR m.allow_inline <> b.allow_inline OR m.allow_external IS NOT b.allow_external)
UNION ALL
SELECT 'the persons counted of dataset', b.name
FROM ordermade_restored.datasets AS b
JOIN datasets AS m ON m.id = b.id
WHERE b.removed_at IS NULL AND m.entity_column IS NOT b.entity_column
ORDER BY 1, 2
