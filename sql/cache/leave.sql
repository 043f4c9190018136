-- Copies a frequency set of the workspace (stand-in: frequency_set) to where it crosses to the cache. One row: a cell.
-- after: stand_ins, attach_crossing
CREATE TABLE ordermade_crossing.main.frequency_set AS SELECT c1, n FROM frequency_set
