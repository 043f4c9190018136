-- Forgets the seals of rows that a transaction erased; the lists run in parallel, one place a row.
-- $table_name = ['requests']
-- $owner = [1]
-- $part = ['']
DELETE FROM seals WHERE table_name = $table_name AND owner = $owner AND part = $part
