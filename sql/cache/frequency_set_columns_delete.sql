-- Forgets the columns of a set.
-- $id = 1
-- after: frequency_set_columns_insert
DELETE FROM ordermade_cache.main.frequency_set_columns WHERE set_id = $id
