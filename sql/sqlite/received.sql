-- A table of the workspace in the source, for one connection. One row is whatever its is there.
CREATE TEMPORARY TABLE received (qi VARCHAR)
