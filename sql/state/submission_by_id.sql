-- A submitted request. One row: that of the number.
-- $id = 1
SELECT id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at, supersedes,
       request_id, release_id, claim
FROM submissions
WHERE id = $id
