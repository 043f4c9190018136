-- Stores the quasi-identifiers of a request; the lists run in parallel, one place an attribute in order.
-- $request_id = 1
-- $position = [0]
-- $column_name = ['age']
-- $hierarchy_name = ['age']
-- $hierarchy_hash = ['a0a0']
-- $from_level = [0]
-- $to_level = [1]
-- after: request_insert
INSERT INTO request_quasi_identifiers (request_id, position, column_name, hierarchy_name, hierarchy_hash, from_level, to_level)
VALUES ($request_id, $position, $column_name, $hierarchy_name, $hierarchy_hash, $from_level, $to_level)
