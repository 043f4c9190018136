-- Notes how a request ended.
-- $id = 1
-- $status = 'released'
-- $reason = NULL
-- $dataset_version_id = NULL
-- $finished_at = TIMESTAMP '2025-01-31 12:00:05'
-- $nodes_in_lattice = 6
-- $nodes_measured = 3
-- $divisions_measured = 20
-- $source_queries = 1
-- $version_queries = 2
-- $coverage_queries = 1
-- $release_queries = 2
-- $seconds = 5.0
-- after: request_insert
UPDATE requests
SET status = $status,
    reason = $reason,
    dataset_version_id = COALESCE($dataset_version_id, dataset_version_id),
    finished_at = $finished_at,
    nodes_in_lattice = $nodes_in_lattice,
    nodes_measured = $nodes_measured,
    divisions_measured = $divisions_measured,
    source_queries = $source_queries,
    version_queries = $version_queries,
    coverage_queries = $coverage_queries,
    release_queries = $release_queries,
    seconds = $seconds
WHERE id = $id
