-- The hierarchies that requests found to cover a column of a dataset version. One row: a column and a content hash.
-- $dataset_version_id = 7
-- after: request_finish
SELECT DISTINCT JSON_EXTRACT(q.value, '$.column') AS column_name, JSON_EXTRACT(q.value, '$.hierarchy_hash') AS hierarchy_hash
FROM requests AS r, json_each(r.record, '$.quasi_identifiers') AS q
WHERE r.dataset_version_id = $dataset_version_id
  AND r.status IN ('released', 'refused')
  AND JSON_EXTRACT(r.record, '$.coverage_queries') > 0
