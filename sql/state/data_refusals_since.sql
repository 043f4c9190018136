-- What the data refused a user on a dataset since a moment. One row: when a revision was refused first, the earliest first.
-- $dataset_name = 'members'
-- $user_name = 'ann'
-- $since = TIMESTAMP '2025-01-01 00:00:00'
SELECT MIN(refused_at) AS "refused_at [TIMESTAMP]"
FROM data_refusals
WHERE dataset_name = $dataset_name AND user_name = $user_name AND refused_at >= $since
      AND uncounted IS NOT TRUE
GROUP BY submission_id, revision
ORDER BY 1
