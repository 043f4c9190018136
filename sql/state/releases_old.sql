-- The releases of a dataset that were made before a moment and stand. One row: a release, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
SELECT r.id
FROM releases AS r
JOIN requests AS q ON q.id = r.request_id
WHERE q.dataset_name = $dataset_name AND r.released_at < $before
  AND r.id NOT IN (SELECT release_id FROM release_ends)
  AND r.id NOT IN (SELECT release_id FROM erased_releases)
ORDER BY r.id
