-- Notes that a token was revoked.
-- $id = 1
-- $revoked_at = TIMESTAMP '2025-01-31 12:00:00'
UPDATE tokens SET revoked_at = $revoked_at WHERE id = $id
