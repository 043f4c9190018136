-- Adds a user. One row: the number.
-- $name = 'ann'
-- $roles = ['data-user']
-- $added_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO users (name, roles, added_at)
VALUES ($name, json($roles), $added_at)
RETURNING id
