-- Adds measured nodes to table C, a place a node: hash, levels, rows, classes, k, sum of squares, and the sizes and counts
-- of the histogram of class sizes. One row: number and hash of a node.
-- $dataset_version_id = 7
-- $request_id = 1
-- $measured_at = TIMESTAMP '2025-01-31 12:00:00'
-- $nodes = ['["f0f0",[1],1000,2,400,"520000",[400,600],[1,1]]']
-- after: version_insert, request_insert, measured_levels_insert
INSERT INTO observations (dataset_version_id, request_id, measured_at, node_hash, levels, rows, divisions, k, sum_of_squares,
                          class_sizes, class_counts)
SELECT $dataset_version_id, $request_id, $measured_at, JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]'),
       JSON_EXTRACT(value, '$[2]'), JSON_EXTRACT(value, '$[3]'), JSON_EXTRACT(value, '$[4]'), JSON_EXTRACT(value, '$[5]'),
       JSON_EXTRACT(value, '$[6]'), JSON_EXTRACT(value, '$[7]')
FROM json_each($nodes)
RETURNING id, node_hash
