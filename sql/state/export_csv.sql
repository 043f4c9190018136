-- Writes what is exported as CSV with a header. One row: how many rows were written.
-- $path = 'observations.csv'
-- after: observations_export
COPY (SELECT * FROM exported) TO $path (FORMAT CSV, HEADER)
