-- The history of a submitted request. One row: an entry, the earliest first.
-- $subject = '1'
SELECT id, happened_at, actor, action, subject, detail, data
FROM audit
WHERE subject = $subject AND data IS NOT NULL AND action LIKE 'request %'
ORDER BY id
