-- A request on record. One row: the request with its document.
-- $id = 1
-- after: request_insert
SELECT id, request_hash, dataset_name, dataset_version_id, filter, started_at,
       CASE WHEN status = 'running' AND interrupted_at IS NOT NULL THEN 'interrupted' ELSE status END AS status,
       reason, finished_at, record
FROM requests
WHERE id = $id
