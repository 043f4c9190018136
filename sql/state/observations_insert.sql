-- Adds measured nodes to table C; the lists run in parallel, one place a node. One row: number and
-- hash of a node. (Histograms come as text: a million numbers bound one by one would take a second.)
-- $dataset_version_id = 7
-- $request_id = 1
-- $measured_at = TIMESTAMP '2025-01-31 12:00:00'
-- $node_hash = ['f0f0']
-- $rows = [1000]
-- $divisions = [2]
-- $k = [400]
-- $sum_of_squares = [520000]
-- $class_sizes = ['[400, 600]']
-- $class_counts = ['[1, 1]']
-- after: version_insert, request_insert
INSERT INTO observations (dataset_version_id, request_id, measured_at, node_hash, rows, divisions, k, sum_of_squares,
                          class_sizes, class_counts)
VALUES ($dataset_version_id, $request_id, $measured_at, $node_hash, $rows, $divisions, $k, $sum_of_squares,
        $class_sizes, $class_counts)
RETURNING id, node_hash
