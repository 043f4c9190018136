-- The tokens. One row: a token, in the order they were made.
SELECT t.id, u.name, t.user_id, t.scope, t.made_at, t.expires_at, t.revoked_at
FROM tokens AS t
JOIN users AS u ON u.id = t.user_id
ORDER BY t.id
