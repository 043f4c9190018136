-- The columns and levels of these numbers. One row: a number with its column and content hash.
-- $id = [1]
-- after: measured_levels_insert
SELECT id, column_name, level_hash FROM measured_levels WHERE id IN (SELECT value FROM json_each($id))
