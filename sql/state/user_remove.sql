-- Notes that a user was removed.
-- $id = 1
-- $removed_at = TIMESTAMP '2025-01-31 12:00:00'
UPDATE users SET removed_at = $removed_at WHERE id = $id
