-- Adds a vote on a revision of a submitted request.
-- $submission_id = 1
-- $revision = 1
-- $reviewer = 'rei'
-- $vote = 'approve'
-- $reason = NULL
-- $policy_id = NULL
-- $dataset_version_id = NULL
-- $meaning_hash = 'e1e1'
-- $voted_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO reviews (submission_id, revision, reviewer, vote, reason, policy_id, dataset_version_id, meaning_hash,
                     voted_at)
VALUES ($submission_id, $revision, $reviewer, $vote, $reason, $policy_id, $dataset_version_id, $meaning_hash,
        $voted_at)
