-- Notes where a submitted request stands now.
-- $id = 1
-- $title = 'Members by sex and age'
-- $status = 'predicted'
-- $revision = 1
-- $moved_at = TIMESTAMP '2025-01-31 12:00:00'
-- $expires_at = NULL
-- $request_id = NULL
-- $release_id = NULL
-- $claim = NULL
UPDATE submissions
SET title = $title, status = $status, revision = $revision, moved_at = $moved_at, expires_at = $expires_at,
    request_id = $request_id, release_id = $release_id, claim = $claim
WHERE id = $id
