-- The first texts of CSV files: too few to prove the type of a column, enough to rule out most. One row is one record.
SELECT * FROM dataset LIMIT 20480
