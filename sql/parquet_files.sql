-- The Parquet files of a source as one table. One row is one row of the files.
SELECT * FROM READ_PARQUET('stand_in.parquet', union_by_name = TRUE)
