-- Writes the export as Parquet. One row: the number of rows written.
-- $path = 'observations.parquet'
-- after: observations
COPY (SELECT * FROM exported) TO $path (FORMAT PARQUET)
