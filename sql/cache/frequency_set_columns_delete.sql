-- Forgets the columns of a set.
-- $id = 1
DELETE FROM ordermade_cache.main.frequency_set_columns WHERE set_id = $id
