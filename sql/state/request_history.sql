-- The columns of a request for histories. One row: a column with its role, in order.
-- $request_id = 1
-- after: request_history_insert
SELECT column_name, role, unit, sort_place, taxonomy_file, taxonomy_hash, taxonomy_level
FROM request_history
WHERE request_id = $request_id
ORDER BY position
