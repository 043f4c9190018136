-- Forgets a set.
-- $id = 1
DELETE FROM ordermade_cache.main.frequency_sets WHERE id = $id
