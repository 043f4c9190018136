-- The audit from a number or a time on, in the order of its chain. One row: an entry.
-- $number = 1
-- $happened_at = TIMESTAMP '1970-01-01 00:00:00'
SELECT id, happened_at, actor, action, subject, detail, data, hash
FROM audit
WHERE id >= $number AND ($happened_at IS NULL OR happened_at >= $happened_at)
ORDER BY id
