-- The columns of a frequency set of the workspace (stand-in: frequency_set), with their types. No row.
-- after: stand_ins
SELECT * FROM frequency_set LIMIT 0
