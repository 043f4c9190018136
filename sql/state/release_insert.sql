-- Notes a release. One row: its number.
-- $request_id = 1
-- $kind = 'file of rows'
-- $path = 'out/members.parquet'
-- $table_name = NULL
-- $sha256 = 'f0f0'
-- $released_at = TIMESTAMP '2025-01-31 12:00:00'
-- $measured = '{"version":1,"rows":990,"k":52,"divisions":4,"suppressed_rows":10,"columns":[{"column":"age","role":"quasi-identifier","level":1,"level_name":"decade"}],"losses":{"prec":0.5}}'
-- after: request_insert
INSERT INTO releases (request_id, kind, path, table_name, sha256, released_at, measured)
VALUES ($request_id, $kind, $path, $table_name, $sha256, $released_at, $measured)
RETURNING id
