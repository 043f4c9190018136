-- What was released? One row: a release, the latest first.
SELECT id, request_id, kind, path, table_name, sha256, rows, k, divisions, suppressed_rows, released_at,
       persons, suppressed_persons, star_rows
FROM releases
ORDER BY id DESC
