-- Adds a token. One row: its number.
-- $user_id = 1
-- $token_hash = 'e0e0'
-- $scope = ['data-user']
-- $made_at = TIMESTAMP '2025-01-31 12:00:00'
-- $expires_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO tokens (user_id, token_hash, scope, made_at, expires_at)
VALUES ($user_id, $token_hash, json($scope), $made_at, $expires_at)
RETURNING id
