-- Copies a table that has crossed from the cache into a temporary table of the workspace (stand-in: loaded). One row: a
-- cell, or a counted value.
-- after: load
CREATE OR REPLACE TEMPORARY TABLE loaded AS SELECT * FROM ordermade_crossing.main.loaded
