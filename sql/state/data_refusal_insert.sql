-- Notes that the data refused a submitted request, or that a fault sent it back, which is not counted.
-- $submission_id = 1
-- $revision = 1
-- $dataset_name = 'members'
-- $user_name = 'ann'
-- $refused_at = TIMESTAMP '2025-01-31 12:00:00'
-- $reason = 'the coarsest has k = 3'
-- $uncounted = FALSE
INSERT INTO data_refusals (submission_id, revision, dataset_name, user_name, refused_at, reason, uncounted)
VALUES ($submission_id, $revision, $dataset_name, $user_name, $refused_at, $reason, $uncounted)
