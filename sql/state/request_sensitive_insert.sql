-- Stores the sensitive columns of a request; the lists run in parallel, one place a column in order.
-- $request_id = 1
-- $position = [0]
-- $column_name = ['diagnosis']
-- $models = ['distinct_l (l = 3)']
-- after: request_insert
INSERT INTO request_sensitive (request_id, position, column_name, models)
SELECT $request_id, UNNEST(CAST($position AS INTEGER[])), UNNEST(CAST($column_name AS VARCHAR[])),
       UNNEST(CAST($models AS VARCHAR[]))
