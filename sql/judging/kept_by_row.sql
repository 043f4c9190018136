-- The pairs of an original's row and the release's row made of it, row for row. One row is one pair.
SELECT released_records.line - 1 AS record, released_records.line FROM released_records
