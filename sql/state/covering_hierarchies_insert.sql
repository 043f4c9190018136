-- Notes the hierarchies that a request found to cover its columns, if it came so far.
-- $id = 1
-- after: request_finish
INSERT INTO covering_hierarchies (dataset_version_id, column_name, hierarchy_hash)
SELECT r.dataset_version_id, JSON_EXTRACT(q.value, '$.column'), JSON_EXTRACT(q.value, '$.hierarchy_hash')
FROM requests AS r, json_each(r.record, '$.quasi_identifiers') AS q
WHERE r.id = $id AND r.dataset_version_id IS NOT NULL AND r.status IN ('released', 'refused')
  AND JSON_EXTRACT(r.record, '$.coverage_queries') > 0
ON CONFLICT (dataset_version_id, column_name, hierarchy_hash) DO NOTHING
