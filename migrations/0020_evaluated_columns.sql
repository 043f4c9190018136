-- The columns that were read in every row of a dataset before any row filter was applied to it.
ALTER TABLE dataset_version_columns ADD COLUMN evaluated_over VARCHAR;
COMMENT ON COLUMN dataset_version_columns.evaluated_over IS 'Hash of the dataset without row filter in whose every row the column was evaluated first; NULL where it was not';
