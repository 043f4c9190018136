-- Notes the levels released for the quasi-identifiers of a request; the lists run in parallel, one place a column.
-- $request_id = 1
-- $column_name = ['age']
-- $level = [1]
-- $level_name = ['decade']
-- after: request_quasi_identifiers_insert
UPDATE request_quasi_identifiers
SET chosen_level = $level, chosen_level_name = $level_name
WHERE request_id = $request_id AND column_name = $column_name
