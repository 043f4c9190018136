-- The terms of a dataset that a user accepted. One row: their hash.
-- $dataset_name = 'members'
-- $user_name = 'ann'
SELECT terms_hash
FROM accepted_terms
WHERE dataset_name = $dataset_name AND user_name = $user_name
ORDER BY terms_hash
