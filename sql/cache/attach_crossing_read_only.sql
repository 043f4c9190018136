-- Attaches the file in which tables have crossed, to read them.
-- $path = 'crossing.duckdb'
-- after: attach_crossing, detach_crossing
ATTACH $path AS ordermade_crossing (READ_ONLY)
