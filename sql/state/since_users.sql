-- The users that were added or removed since the copy. One row: a user, whether it was removed, and whether added.
-- after: attach_state, attach_restored
SELECT s.id, s.name, NOT s.removed_at IS NULL AS is_removed, b.id IS NULL AS is_new
FROM ordermade_state.users AS s
LEFT JOIN ordermade_restored.users AS b ON b.id = s.id
WHERE b.id IS NULL OR b.removed_at IS NOT s.removed_at
ORDER BY s.id
