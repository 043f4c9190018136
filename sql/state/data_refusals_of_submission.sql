-- What the data refused of a submitted request, and what a fault sent back. One row: the revision, when, why, and whether it
-- counts, the earliest first.
-- $submission_id = 1
SELECT revision, refused_at, reason, uncounted IS NOT TRUE AS "counts [BOOLEAN]"
FROM data_refusals
WHERE submission_id = $submission_id
ORDER BY id
