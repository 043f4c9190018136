-- Notes that persons opted out of a dataset; those who are noted are left as they are.
-- $dataset_name = 'members'
-- $person_hash = ['00ff']
-- $added_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO opt_outs (dataset_name, person_hash, added_at)
SELECT DISTINCT $dataset_name, given.value, $added_at
FROM json_each($person_hash) AS given
WHERE given.value NOT IN (SELECT person_hash FROM opt_outs WHERE dataset_name = $dataset_name)
