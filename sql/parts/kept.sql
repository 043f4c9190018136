-- Keeps the combinations of a part, or of all, as a private file for later requests. One row is one combination.
COPY (SELECT part_combinations.qi FROM part_combinations) TO 'part.parquet' (FORMAT parquet, USE_TMP_FILE FALSE, WRITE_BLOOM_FILTER FALSE)
