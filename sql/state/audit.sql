-- The audit. One row: an entry, the latest first.
-- $entries = 100
SELECT id, happened_at, actor, action, subject, detail, data FROM audit ORDER BY id DESC LIMIT $entries
