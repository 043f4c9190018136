-- The requests that a user submitted for a dataset since a moment. One row: when one was submitted, the earliest first.
-- $dataset_name = 'members'
-- $submitted_by = 'ann'
-- $since = TIMESTAMP '2025-01-01 00:00:00'
SELECT submitted_at
FROM submissions
WHERE dataset_name = $dataset_name AND submitted_by = $submitted_by AND submitted_at >= $since
ORDER BY submitted_at
