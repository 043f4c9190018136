-- Which request did a run answer, and how did it end? One row at most: the request.
-- $run = 'f0f0'
SELECT id, status
FROM requests
WHERE run = $run
