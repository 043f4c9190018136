-- The revisions of a submitted request. One row: a revision, in order.
-- $submission_id = 1
SELECT submission_id, revision, request, request_hash, meaning_hash, prediction, chance, made_by, made_at, reason
FROM submission_revisions
WHERE submission_id = $submission_id
ORDER BY revision
