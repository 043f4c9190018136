-- Notes the levels released for the quasi-identifiers of a request; the lists run in parallel, one place a column.
-- $request_id = 1
-- $column_name = ['age']
-- $level = [1]
-- $level_name = ['decade']
-- after: request_quasi_identifiers_insert
UPDATE request_quasi_identifiers
SET chosen_level = chosen.level, chosen_level_name = chosen.level_name
FROM (SELECT UNNEST(CAST($column_name AS VARCHAR[])) AS column_name, UNNEST(CAST($level AS INTEGER[])) AS level,
             UNNEST(CAST($level_name AS VARCHAR[])) AS level_name) AS chosen
WHERE request_quasi_identifiers.request_id = $request_id AND request_quasi_identifiers.column_name = chosen.column_name
