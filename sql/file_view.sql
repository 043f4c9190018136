-- Gives the files of a source the name of a table. One row is one row of the files.
CREATE OR REPLACE VIEW source_files AS SELECT dataset.qi FROM dataset
