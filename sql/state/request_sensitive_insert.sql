-- Stores the sensitive columns of a request; the lists run in parallel, one place a column in order.
-- $request_id = 1
-- $position = [0]
-- $column_name = ['diagnosis']
-- $models = ['distinct_l (l = 3)']
-- after: request_insert
INSERT INTO request_sensitive (request_id, position, column_name, models)
VALUES ($request_id, $position, $column_name, $models)
