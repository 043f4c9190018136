-- Notes the columns of a stored set; the lists run in parallel, one place a column in order.
-- $set_id = 1
-- $position = [0]
-- $column_name = ['age']
-- $hierarchy_hash = ['a0a0']
-- $base_level = [0]
-- after: create_frequency_set_columns
INSERT INTO ordermade_cache.main.frequency_set_columns (set_id, position, column_name, hierarchy_hash, base_level)
SELECT $set_id, UNNEST(CAST($position AS INTEGER[])), UNNEST(CAST($column_name AS VARCHAR[])),
       UNNEST(CAST($hierarchy_hash AS VARCHAR[])), UNNEST(CAST($base_level AS INTEGER[]))
