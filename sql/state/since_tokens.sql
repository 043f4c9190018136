-- The tokens that were made or revoked since the copy. One row: a token, whether it was revoked, and whether made.
-- after: attach_state, attach_restored
SELECT s.id, NOT s.revoked_at IS NULL AS is_revoked, b.id IS NULL AS is_new
FROM ordermade_state.tokens AS s
LEFT JOIN ordermade_restored.tokens AS b ON b.id = s.id
WHERE b.id IS NULL OR b.revoked_at IS NOT s.revoked_at
ORDER BY s.id
