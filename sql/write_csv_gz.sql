-- Writes a release as gzipped CSV with a header. One row is one person, or one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.csv.gz' (FORMAT csv, HEADER TRUE, COMPRESSION gzip, USE_TMP_FILE FALSE)
