-- Notes that a vote no longer counts.
-- $submission_id = 1
-- $revision = 1
-- $reviewer = 'rei'
-- $voted_at = TIMESTAMP '2025-01-31 12:00:00'
-- $reset_at = TIMESTAMP '2025-02-01 12:00:00'
UPDATE reviews
SET reset_at = $reset_at
WHERE submission_id = $submission_id AND revision = $revision AND reviewer = $reviewer AND voted_at = $voted_at
