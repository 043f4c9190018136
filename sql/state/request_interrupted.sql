-- Notes that the running request of a run is interrupted.
-- $run = 'f0f0'
-- $interrupted_at = TIMESTAMP '2025-01-31 12:05:00'
UPDATE requests
SET interrupted_at = $interrupted_at
WHERE run = $run AND status = 'running' AND interrupted_at IS NULL
