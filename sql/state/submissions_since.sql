-- The requests that a user submitted for a dataset since a moment. One row: their number.
-- $dataset_name = 'members'
-- $submitted_by = 'ann'
-- $since = TIMESTAMP '2025-01-01 00:00:00'
SELECT COUNT(*)
FROM submissions
WHERE dataset_name = $dataset_name AND submitted_by = $submitted_by AND submitted_at >= $since
