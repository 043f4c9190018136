-- Copies a stored set (stand-in: fs_1) into a temporary table of the workspace (stand-in: frequency_set). One row: a cell.
CREATE TEMPORARY TABLE frequency_set AS SELECT c1, n FROM ordermade_cache.main.fs_1
