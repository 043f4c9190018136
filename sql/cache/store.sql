-- Copies a frequency set of the workspace (stand-in: frequency_set) into the cache (stand-in: fs_1). One row: a cell.
-- after: stand_ins, attach
CREATE TABLE ordermade_cache.main.fs_1 AS SELECT c1, n FROM frequency_set
