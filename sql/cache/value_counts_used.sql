-- Notes that stored counts of values were used.
-- $id = [1]
-- $at = TIMESTAMP '2025-02-01 12:00:00'
-- after: value_counts_insert
UPDATE ordermade_cache.main.value_counts SET last_used_at = $at WHERE id IN (SELECT UNNEST(CAST($id AS BIGINT[])))
