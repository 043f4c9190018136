-- A release by number. One row: the release.
-- $id = 1
SELECT id, request_id, kind, path, table_name, sha256, rows, k, divisions, suppressed_rows, released_at,
       persons, suppressed_persons, star_rows
FROM releases
WHERE id = $id
