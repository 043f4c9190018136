-- The steps of the service. One row: an entry that wrote rows, the earliest first.
SELECT id, happened_at, actor, action, subject, detail, data FROM audit WHERE data IS NOT NULL ORDER BY id
