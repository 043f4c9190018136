-- Adds an entry to the audit.
-- $id = 1
-- $happened_at = TIMESTAMP '2025-01-31 12:00:00'
-- $actor = 'provider'
-- $action = 'source add'
-- $subject = 'members_db'
-- $detail = NULL
-- $data = NULL
-- $hash = 'a0a0'
INSERT INTO audit (id, happened_at, actor, action, subject, detail, data, hash)
VALUES ($id, $happened_at, $actor, $action, $subject, $detail, $data, $hash)
