-- The submitted requests whose time is over. One row: a request, in order.
-- $now = TIMESTAMP '2025-01-31 12:00:00'
SELECT id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at, supersedes,
       request_id, release_id, claim
FROM submissions
WHERE expires_at <= $now AND status NOT IN ('withdrawn', 'expired')
ORDER BY id
