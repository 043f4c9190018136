-- Writes a release as Parquet. One row is one person, or one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.parquet' (FORMAT parquet, USE_TMP_FILE FALSE)
