-- The CSV files of a source as one table, typed over all their rows. One row is one line after the header.
SELECT * FROM READ_CSV('stand_in.csv', header = TRUE, sample_size = -1)
