-- The votes since the copy. One row: the key of a vote: the number of the submitted request, the revision, the reviewer
-- and the time.
-- after: attach_state, attach_restored
SELECT s.submission_id, s.revision, s.reviewer, s.voted_at
FROM ordermade_state.reviews AS s
LEFT JOIN ordermade_restored.reviews AS b USING (submission_id, revision, reviewer, voted_at)
WHERE b.submission_id IS NULL
ORDER BY s.voted_at, s.submission_id, s.reviewer
