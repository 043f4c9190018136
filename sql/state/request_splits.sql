-- The quasi-identifiers of a request for Mondrian. One row: a column with how it is split, in order.
-- $request_id = 1
-- after: request_splits_insert
SELECT column_name, kind, hierarchy_name, hierarchy_hash, finest_level
FROM request_splits
WHERE request_id = $request_id
ORDER BY position
