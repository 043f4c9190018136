-- Notes that a request started, or that it has ended already. One row: its number.
-- $id = 1
-- $title = 'Members by sex and age'
-- $request_hash = 'e0e0'
-- $engine_version = '0.1.0'
-- $dataset_name = 'members'
-- $dataset_version_id = NULL
-- $filter = NULL
-- $k = 50
-- $algorithm = 'ola'
-- $objective = 'prec'
-- $shape = 'rows'
-- $target_path = 'out/members.parquet'
-- $target_table = NULL
-- $suppression_limit = '0.05'
-- $suppressed = 'drop'
-- $recoding = 'full-domain'
-- $risk = NULL
-- $weights = NULL
-- $entity_column = NULL
-- $method = 'generalization'
-- $options = NULL
-- $run = 'f0f0'
-- $request = '{}'
-- $started_at = TIMESTAMP '2025-01-31 12:00:00'
-- $status = 'running'
-- $reason = NULL
-- $finished_at = NULL
-- $nodes_measured = NULL
-- $seconds = NULL
INSERT INTO requests (id, title, request_hash, engine_version, dataset_name, dataset_version_id, filter, k, algorithm,
                      objective, shape, target_path, target_table, suppression_limit, withheld, recoding, risk, weights,
                      entity_column, method, options, run, request, started_at, status, reason, finished_at,
                      nodes_measured, seconds)
VALUES ($id, $title, $request_hash, $engine_version, $dataset_name, $dataset_version_id, $filter, $k, $algorithm,
        $objective, $shape, $target_path, $target_table, $suppression_limit, $suppressed, $recoding, $risk, $weights,
        $entity_column, $method, $options, $run, $request, $started_at, $status, $reason, $finished_at,
        $nodes_measured, $seconds)
RETURNING id
