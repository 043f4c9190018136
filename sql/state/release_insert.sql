-- Notes a release. One row: its number.
-- $request_id = 1
-- $kind = 'parquet'
-- $path = 'out/members.parquet'
-- $table_name = NULL
-- $sha256 = 'abab'
-- $rows = 1000
-- $k = 400
-- $divisions = 2
-- $suppressed_rows = 0
-- $persons = NULL
-- $suppressed_persons = NULL
-- $star_rows = NULL
-- $released_at = TIMESTAMP '2025-01-31 12:00:05'
-- after: request_insert
INSERT INTO releases (request_id, kind, path, table_name, sha256, rows, k, divisions, suppressed_rows, persons,
                      suppressed_persons, star_rows, released_at)
VALUES ($request_id, $kind, $path, $table_name, $sha256, $rows, $k, $divisions, $suppressed_rows, $persons,
        $suppressed_persons, $star_rows, $released_at)
RETURNING id
