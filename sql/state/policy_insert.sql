-- Puts a policy in force: the next version of its dataset's. One row: its number and version.
-- $dataset_name = 'members'
-- $policy = '{"dataset":"members","k":5}'
-- $policy_hash = '00ff'
-- $set_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO policies (dataset_name, version, policy, policy_hash, set_at)
SELECT $dataset_name, COALESCE(MAX(p.version), 0) + 1, $policy, $policy_hash, $set_at
FROM policies AS p
WHERE p.dataset_name = $dataset_name
RETURNING id, version
