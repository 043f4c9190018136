-- The requests of a dataset that ended before a moment, and of which no release stands; releases that are about to be
-- erased stand no longer. One row: a request, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
-- $erased = [1]
SELECT q.id
FROM requests AS q
WHERE q.dataset_name = $dataset_name AND q.erased_at IS NULL
  AND CASE WHEN q.status = 'running' THEN q.interrupted_at ELSE q.finished_at END < $before
  AND NOT EXISTS (
      SELECT 1
      FROM releases AS r
      WHERE r.request_id = q.id
        AND r.id NOT IN (SELECT release_id FROM release_ends)
        AND r.id NOT IN (SELECT release_id FROM erased_releases)
        AND r.id NOT IN (SELECT value FROM json_each($erased))
  )
ORDER BY q.id
