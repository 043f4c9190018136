-- Notes that a user accepted the terms of a dataset.
-- $dataset_name = 'members'
-- $user_name = 'ann'
-- $terms_hash = 'e0e0'
-- $accepted_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO accepted_terms (dataset_name, user_name, terms_hash, accepted_at)
VALUES ($dataset_name, $user_name, $terms_hash, $accepted_at)
