-- Copies a frequency set that has crossed (stand-in: frequency_set) into the cache (stand-in: fs_1). One row: a cell.
-- after: leave, attach
CREATE TABLE ordermade_cache.main.fs_1 AS SELECT c1, n FROM ordermade_crossing.main.frequency_set
