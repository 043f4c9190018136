-- The releases. One row: a release, the latest first.
SELECT r.id, r.request_id, r.kind, r.path, r.table_name, r.sha256, r.rows, r.k, r.divisions, r.suppressed_rows, r.released_at,
       r.persons, r.suppressed_persons, r.star_rows, e.how, e.superseded_by
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
ORDER BY r.id DESC
