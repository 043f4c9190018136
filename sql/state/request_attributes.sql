-- The microaggregated attributes of a request. One row: a column with its weight and aggregate, in order.
-- $request_id = 1
-- after: request_attributes_insert
SELECT column_name, weight, hierarchy_name, hierarchy_hash, aggregate
FROM request_attributes
WHERE request_id = $request_id
ORDER BY position
