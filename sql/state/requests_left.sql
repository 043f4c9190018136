-- The requests that are left running by runs other than those that are alive. One row: the number of a request.
-- $alive = ['f0f0']
SELECT id
FROM requests
WHERE status = 'running' AND interrupted_at IS NULL AND run IS NOT NULL AND run NOT IN (SELECT value FROM json_each($alive))
