-- A submitted request and those that do it again, the next on the one before. One row: a request, in order.
-- $number = 1
WITH RECURSIVE chain AS (
  SELECT id FROM submissions WHERE id = $number
  UNION
  SELECT s.id FROM submissions AS s JOIN chain AS c ON s.supersedes = c.id
)
SELECT id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at, supersedes,
       request_id, release_id, claim
FROM submissions
WHERE id IN (SELECT id FROM chain)
ORDER BY id
