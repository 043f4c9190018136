-- Writes what is exported as Parquet. One row: how many rows were written.
-- $path = 'observations.parquet'
-- after: observations_export
COPY (SELECT * FROM exported) TO $path (FORMAT PARQUET)
