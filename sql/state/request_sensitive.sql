-- The sensitive columns of a request. One row: a column with its models in words, in order.
-- $request_id = 1
-- after: request_sensitive_insert
SELECT column_name, models FROM request_sensitive WHERE request_id = $request_id ORDER BY position
