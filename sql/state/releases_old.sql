-- The releases of a dataset that were made before a moment and stand. A submitted request has its release from the
-- delivery on, until the moment that it was delivered with, if any. One row: a release, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
SELECT r.id
FROM releases AS r
JOIN requests AS q ON q.id = r.request_id
LEFT JOIN submissions AS d ON d.release_id = r.id AND d.status = 'delivered'
WHERE q.dataset_name = $dataset_name AND COALESCE(d.moved_at, r.released_at) < $before AND d.expires_at IS NULL
  AND r.id NOT IN (SELECT release_id FROM release_ends)
  AND r.id NOT IN (SELECT release_id FROM erased_releases)
ORDER BY r.id
