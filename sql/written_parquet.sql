-- A written release read back. One row is one row of the release.
SELECT * FROM READ_PARQUET('stand_in.parquet')
