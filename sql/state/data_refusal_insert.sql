-- Notes that the data refused a submitted request.
-- $submission_id = 1
-- $revision = 1
-- $dataset_name = 'members'
-- $user_name = 'ann'
-- $refused_at = TIMESTAMP '2025-01-31 12:00:00'
-- $reason = 'the coarsest has k = 3'
INSERT INTO data_refusals (submission_id, revision, dataset_name, user_name, refused_at, reason)
VALUES ($submission_id, $revision, $dataset_name, $user_name, $refused_at, $reason)
