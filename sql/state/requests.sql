-- The requests, of a hash (NULL: any), so many at most (NULL: all). One row: a request, the latest first.
-- $request_hash = NULL
-- $most = 30
SELECT id, title, request_hash, engine_version, dataset_name, dataset_version_id, filter, k, algorithm, objective, shape,
       target_path, target_table, started_at,
       CASE WHEN status = 'running' AND interrupted_at IS NOT NULL THEN 'interrupted' ELSE status END AS status, reason, finished_at, nodes_in_lattice, nodes_measured,
       divisions_measured, source_queries, version_queries, coverage_queries, release_queries, seconds,
       suppression_limit, withheld, recoding, risk, weights, entity_column, method, options
FROM requests
WHERE id IN (SELECT id FROM requests WHERE $request_hash IS NULL OR request_hash = $request_hash ORDER BY id DESC LIMIT COALESCE($most, -1))
ORDER BY id DESC
