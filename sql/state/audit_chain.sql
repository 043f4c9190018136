-- The audit in the order of its chain. One row: an entry.
SELECT id, happened_at, actor, action, subject, detail, data, hash FROM audit ORDER BY id
