-- The submitted requests of a dataset that ended before a moment and have texts. One row: a revision with a text, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
SELECT s.id, r.revision
FROM submissions AS s
JOIN submission_revisions AS r ON r.submission_id = s.id
WHERE s.dataset_name = $dataset_name AND s.moved_at < $before AND s.status IN ('refused', 'withdrawn', 'expired')
  AND r.request <> ''
ORDER BY s.id, r.revision
