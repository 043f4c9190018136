-- The users. One row: a user that was not removed, with the number of tokens that are accepted.
-- $now = TIMESTAMP '2025-01-31 12:00:00'
SELECT u.id, u.name, u.roles, u.added_at, COUNT(t.id) AS tokens
FROM users AS u
LEFT JOIN tokens AS t ON t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > $now
WHERE u.removed_at IS NULL
GROUP BY u.id, u.name, u.roles, u.added_at
ORDER BY u.name
