-- The policy of a dataset that is in force. One row: the number and content of its last version, and the least k of the
-- dataset; 0 where none of that name is registered.
-- $dataset_name = 'members'
SELECT p.id, p.policy, COALESCE(d.least_k, 0) AS least_k
FROM policies AS p
LEFT JOIN datasets AS d ON d.name = p.dataset_name AND d.removed_at IS NULL
WHERE p.dataset_name = $dataset_name
ORDER BY p.version DESC
LIMIT 1
