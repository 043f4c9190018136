-- Notes that running requests are interrupted.
-- $id = [1]
-- $interrupted_at = TIMESTAMP '2025-01-31 12:05:00'
UPDATE requests
SET interrupted_at = $interrupted_at
WHERE id IN (SELECT value FROM json_each($id)) AND status = 'running' AND interrupted_at IS NULL
