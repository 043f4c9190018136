-- The users, to complete their names. One row: a user with the roles.
SELECT u.name AS name, (SELECT GROUP_CONCAT(r.value, ', ') FROM json_each(u.roles) AS r) AS note
FROM users AS u
WHERE u.removed_at IS NULL
ORDER BY u.name
