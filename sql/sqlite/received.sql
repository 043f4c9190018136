-- A table of the workspace in the source, for one connection. One row is one row of that table.
CREATE TEMPORARY TABLE received (qi VARCHAR)
