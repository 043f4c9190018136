-- How long is a frequency set of the workspace (stand-in: frequency_set)? One row: its number of cells.
-- after: stand_ins
SELECT COUNT(*) AS length FROM frequency_set
