-- Copies a stored set (stand-in: fs_1) to where it crosses to the workspace (stand-in: loaded). One row: a cell.
-- after: store
CREATE TABLE ordermade_crossing.main.loaded AS SELECT c1, n FROM ordermade_cache.main.fs_1
