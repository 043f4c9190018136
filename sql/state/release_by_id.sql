-- A release by number. One row: the release.
-- $id = 1
SELECT r.id, r.request_id, r.kind, r.path, r.table_name, r.sha256, r.released_at,
       COALESCE(e.how, CASE WHEN x.release_id IS NOT NULL THEN 'erased' END) AS ended, e.superseded_by, r.measured
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
LEFT JOIN erased_releases AS x ON x.release_id = r.id
WHERE r.id = $id
