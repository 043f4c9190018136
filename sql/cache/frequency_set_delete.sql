-- Forgets a set.
-- $id = 1
-- after: frequency_set_insert
DELETE FROM ordermade_cache.main.frequency_sets WHERE id = $id
