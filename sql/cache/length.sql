-- The number of cells of a frequency set of the workspace (stand-in: frequency_set). One row.
-- after: stand_ins
SELECT COUNT(*) AS length FROM frequency_set
