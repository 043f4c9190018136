-- The acceptance of terms by a user. One row: the moment.
-- $dataset_name = 'members'
-- $user_name = 'ann'
-- $terms_hash = 'e0e0'
SELECT accepted_at
FROM accepted_terms
WHERE dataset_name = $dataset_name AND user_name = $user_name AND terms_hash = $terms_hash
