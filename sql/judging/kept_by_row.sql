-- Row for row: which row of the original each row of the release was made of. One row is one of both.
SELECT released_records.line - 1 AS record, released_records.line FROM released_records
