-- Forgets stored counts of values.
-- $id = 1
-- after: value_counts_insert
DELETE FROM ordermade_cache.main.value_counts WHERE id = $id
