-- The hierarchies that are known to cover a column of a dataset version. One row: a column and the content hash of a
-- hierarchy that a request got past the check of its coverage with.
-- $dataset_version_id = 1
SELECT DISTINCT request_quasi_identifiers.column_name, request_quasi_identifiers.hierarchy_hash
FROM requests
JOIN request_quasi_identifiers ON request_quasi_identifiers.request_id = requests.id
WHERE requests.dataset_version_id = $dataset_version_id
  AND requests.status IN ('released', 'refused')
  AND requests.coverage_queries > 0
