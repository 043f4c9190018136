-- The names of the users that were removed. One row: a name.
SELECT DISTINCT name FROM users WHERE removed_at IS NOT NULL
