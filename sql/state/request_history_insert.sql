-- Stores the columns of a request for histories; the lists run in parallel, one place a column in order.
-- $request_id = 1
-- $position = [0]
-- $column_name = ['price']
-- $role = ['number']
-- $unit = ['0.01']
-- $sort_place = [0]
-- $taxonomy_file = [NULL]
-- $taxonomy_hash = [NULL]
-- $taxonomy_level = [NULL]
-- after: request_insert
INSERT INTO request_history (request_id, position, column_name, role, unit, sort_place, taxonomy_file, taxonomy_hash, taxonomy_level)
VALUES ($request_id, $position, $column_name, $role, $unit, $sort_place, $taxonomy_file, $taxonomy_hash,
        $taxonomy_level)
