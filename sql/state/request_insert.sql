-- Notes that a request started, or that it has ended already. One row: its number.
-- $id = 1
-- $request_hash = 'e0e0'
-- $dataset_name = 'members'
-- $dataset_version_id = NULL
-- $filter = NULL
-- $run = 'f0f0'
-- $started_at = TIMESTAMP '2025-01-31 12:00:00'
-- $status = 'running'
-- $reason = NULL
-- $finished_at = NULL
-- $request = '{}'
-- $record = '{"version":1,"title":"Members by sex and age","engine_version":"0.1.0","k":50,"algorithm":"ola","objective":"prec","shape":"rows","method":"generalization","quasi_identifiers":[{"column":"age","hierarchy":"age","hierarchy_hash":"a0a0","from_level":0,"to_level":2}],"seconds":1.5}'
INSERT INTO requests (id, request_hash, dataset_name, dataset_version_id, filter, run, started_at, status, reason,
                      finished_at, request, record)
VALUES ($id, $request_hash, $dataset_name, $dataset_version_id, $filter, $run, $started_at, $status, $reason,
        $finished_at, $request, $record)
RETURNING id
