-- Notes that running requests are interrupted: those of any run but the ones that are alive.
-- $alive = ['f0f0']
-- $interrupted_at = TIMESTAMP '2025-01-31 12:05:00'
UPDATE requests
SET interrupted_at = $interrupted_at
WHERE status = 'running' AND interrupted_at IS NULL AND run IS NOT NULL AND NOT LIST_CONTAINS($alive, run)
