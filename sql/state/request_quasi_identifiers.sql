-- The quasi-identifiers of a request. One row: an attribute, in order.
-- $request_id = 1
SELECT column_name, hierarchy_name, hierarchy_hash, from_level, to_level, chosen_level, chosen_level_name
FROM request_quasi_identifiers
WHERE request_id = $request_id
ORDER BY position
