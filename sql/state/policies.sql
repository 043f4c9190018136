-- The policies of every dataset, by name, the latest version first. One row: a version of a policy.
-- after: policy_insert
SELECT id, dataset_name, version, policy, policy_hash, set_at FROM policies ORDER BY dataset_name, version DESC
