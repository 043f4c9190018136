-- The requests on record, the latest first. One row: a request with its document.
-- $request_hash = NULL
-- $most = 10
-- after: request_insert
SELECT id, request_hash, dataset_name, dataset_version_id, filter, started_at,
       CASE WHEN status = 'running' AND interrupted_at IS NOT NULL THEN 'interrupted' ELSE status END AS status,
       reason, finished_at, record
FROM requests
WHERE $request_hash IS NULL OR request_hash = $request_hash
ORDER BY id DESC
LIMIT COALESCE($most, -1)
