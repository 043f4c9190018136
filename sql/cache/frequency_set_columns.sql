-- The columns of the stored sets. One row: a column of a set, in order.
-- after: create_frequency_set_columns
SELECT set_id, column_name, hierarchy_hash, base_level
FROM ordermade_cache.main.frequency_set_columns
ORDER BY set_id, position
