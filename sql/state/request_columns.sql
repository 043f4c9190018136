-- The identifiers and kept columns of a request. One row: a column.
-- $request_id = 1
SELECT role, column_name FROM request_columns WHERE request_id = $request_id ORDER BY role, position
