-- Registers a source. One row: its number.
-- $name = 'members_db'
-- $kind = 'duckdb'
-- $location = '/data/members.duckdb'
-- $writable = FALSE
-- $encoding = NULL
-- $header = FALSE
-- $allow_inline = FALSE
-- $allow_external = FALSE
-- $added_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO sources (name, kind, location, writable, encoding, header, allow_inline, allow_external, added_at)
VALUES ($name, $kind, $location, $writable, $encoding, $header, $allow_inline, $allow_external, $added_at)
RETURNING id
