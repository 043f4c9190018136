-- The requests that are left running by runs other than those that are alive. One row: the number of a request.
-- $alive = ['f0f0']
SELECT id
FROM requests
WHERE status = 'running' AND interrupted_at IS NULL AND run IS NOT NULL AND NOT LIST_CONTAINS($alive, run)
