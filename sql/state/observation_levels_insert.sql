-- Adds the levels of measured nodes to table C; the lists run in parallel, one place a node and attribute.
-- $observation_id = [1]
-- $column_name = ['age']
-- $level = [0]
-- $level_name = ['value']
-- $level_hash = ['a1']
-- after: observations_insert
INSERT INTO observation_levels (observation_id, column_name, level, level_name, level_hash)
VALUES ($observation_id, $column_name, $level, $level_name, $level_hash)
