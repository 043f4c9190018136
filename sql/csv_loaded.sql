-- Reads CSV files once, as a Parquet file that every later statement reads instead. One row is one record.
COPY (SELECT dataset.qi FROM dataset) TO 'table.parquet' (FORMAT parquet, USE_TMP_FILE FALSE, WRITE_BLOOM_FILTER FALSE)
