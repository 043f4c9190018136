-- Adds an entry to the audit.
-- $happened_at = TIMESTAMP '2025-01-31 12:00:00'
-- $actor = 'provider'
-- $action = 'source add'
-- $subject = 'members_db'
-- $detail = NULL
-- $data = NULL
INSERT INTO audit (happened_at, actor, action, subject, detail, data)
VALUES ($happened_at, $actor, $action, $subject, $detail, $data)
