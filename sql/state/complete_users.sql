-- The users, to complete their names. One row: a user with the roles.
SELECT u.name AS name, ARRAY_TO_STRING(u.roles, ', ') AS note
FROM users AS u
WHERE u.removed_at IS NULL
ORDER BY u.name
