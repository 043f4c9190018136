-- The submitted requests. One row: a submitted request, the latest first.
-- $submitted_by = NULL
SELECT id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at, supersedes,
       request_id, release_id, claim
FROM submissions
WHERE $submitted_by IS NULL OR submitted_by = $submitted_by
ORDER BY id DESC
