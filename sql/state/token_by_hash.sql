-- A token with its user. One row: the token of that hash.
-- $token_hash = 'e0e0'
SELECT t.id, u.name, u.roles, t.scope, t.expires_at, t.revoked_at, u.removed_at
FROM tokens AS t
JOIN users AS u ON u.id = t.user_id
WHERE t.token_hash = $token_hash
