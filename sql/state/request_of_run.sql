-- The request of a run, with its end. One row at most: the request.
-- $run = 'f0f0'
SELECT id, status
FROM requests
WHERE run = $run
