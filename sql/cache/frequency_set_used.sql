-- Notes that a set was used.
-- $id = 1
-- $at = TIMESTAMP '2025-02-01 12:00:00'
-- after: frequency_set_insert
UPDATE ordermade_cache.main.frequency_sets SET last_used_at = $at WHERE id = $id
