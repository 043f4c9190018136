-- What the data refused of a submitted request. One row: the revision, when and why, the earliest first.
-- $submission_id = 1
SELECT revision, refused_at, reason
FROM data_refusals
WHERE submission_id = $submission_id
ORDER BY id
