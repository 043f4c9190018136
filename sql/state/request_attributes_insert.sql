-- Stores the microaggregated attributes of a request; the lists run in parallel, one place a column in order.
-- $request_id = 1
-- $position = [0]
-- $column_name = ['income']
-- $weight = ['1']
-- $hierarchy_name = [NULL]
-- $hierarchy_hash = [NULL]
-- $aggregate = ['mean']
-- after: request_insert
INSERT INTO request_attributes (request_id, position, column_name, weight, hierarchy_name, hierarchy_hash, aggregate)
VALUES ($request_id, $position, $column_name, $weight, $hierarchy_name, $hierarchy_hash, $aggregate)
