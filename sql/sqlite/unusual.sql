-- A flag of values in a column of a SQLite database that its declared type excludes. One row; the column is there once
-- for each that is declared for whole numbers, fractions or texts.
SELECT MAX(CASE WHEN TYPEOF(dataset.qi) IN ('text', 'null') THEN 0 ELSE 1 END) AS unusual FROM dataset
