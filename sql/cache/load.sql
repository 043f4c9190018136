-- Copies a stored set (stand-in: fs_1) into a temporary table of the workspace (stand-in: loaded). One row: a cell.
-- after: store
CREATE TEMPORARY TABLE loaded AS SELECT c1, n FROM ordermade_cache.main.fs_1
