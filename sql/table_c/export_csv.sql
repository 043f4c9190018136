-- Writes the export as CSV with a header. One row: the number of rows written.
-- $path = 'observations.csv'
-- after: observations
COPY (SELECT * FROM exported) TO $path (FORMAT CSV, HEADER)
