-- Reads the CSV files of a source once, so that no later statement parses them again. One row is one row of the files.
CREATE OR REPLACE TABLE source_files AS SELECT dataset.qi FROM dataset
