-- Notes that a request failed after all: its release was recorded, but never got its name.
-- $id = 1
-- $reason = 'the process ended before the release had its name'
UPDATE requests
SET status = 'failed', reason = $reason
WHERE id = $id
