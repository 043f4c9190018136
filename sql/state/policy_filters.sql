-- The row filters of the releases of a dataset so far, withdrawn ones too. One row: a filter as canonical text, NULL for
-- every row.
-- $dataset_name = 'members'
SELECT DISTINCT q.filter
FROM releases AS r
JOIN requests AS q ON q.id = r.request_id
WHERE q.dataset_name = $dataset_name
ORDER BY q.filter
