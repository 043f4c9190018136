-- Stores the quasi-identifiers of a request for Mondrian; the lists run in parallel, one place a column in order.
-- $request_id = 1
-- $position = [0]
-- $column_name = ['birth']
-- $kind = ['nested']
-- $hierarchy_name = ['birth']
-- $hierarchy_hash = ['b0b0']
-- $finest_level = [1]
-- after: request_insert
INSERT INTO request_splits (request_id, position, column_name, kind, hierarchy_name, hierarchy_hash, finest_level)
VALUES ($request_id, $position, $column_name, $kind, $hierarchy_name, $hierarchy_hash, $finest_level)
