-- Adds rows that arrive from another database to a table of the engine's own. One row is one row of the answer.
-- after: store
INSERT INTO stored SELECT arriving.qi FROM dataset AS arriving
