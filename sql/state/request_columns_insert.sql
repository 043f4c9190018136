-- Stores identifiers or kept columns of a request; the lists run in parallel.
-- $request_id = 1
-- $role = 'keep'
-- $position = [0]
-- $column_name = ['plan']
-- after: request_insert
INSERT INTO request_columns (request_id, role, position, column_name)
VALUES ($request_id, $role, $position, $column_name)
