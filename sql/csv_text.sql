-- The CSV files of a source as one table of texts. One row is one line after the header.
SELECT * FROM READ_CSV('stand_in.csv', header = TRUE, all_varchar = TRUE)
