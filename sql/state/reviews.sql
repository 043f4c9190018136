-- The votes on a submitted request. One row: a vote, the earliest first.
-- $submission_id = 1
SELECT submission_id, revision, reviewer, vote, reason, policy_id, dataset_version_id, meaning_hash, voted_at, reset_at
FROM reviews
WHERE submission_id = $submission_id
ORDER BY voted_at, reviewer
