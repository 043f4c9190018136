-- Notes how a request ended: `finished` are the fields that its end adds to its document.
-- One row: its number; none where there is no such request.
-- $id = 1
-- $status = 'released'
-- $reason = NULL
-- $dataset_version_id = NULL
-- $finished_at = TIMESTAMP '2025-01-31 12:00:00'
-- $finished = '{"nodes_in_lattice":12,"nodes_measured":4,"coverage_queries":1,"seconds":1.5,"chosen":{"age":[1,"decade"]}}'
UPDATE requests
SET status = $status,
    reason = $reason,
    dataset_version_id = COALESCE($dataset_version_id, dataset_version_id),
    finished_at = $finished_at,
    record = JSON_PATCH(record, $finished)
WHERE id = $id
