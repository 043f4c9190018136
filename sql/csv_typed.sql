-- The texts of CSV files as the types that were found for their columns. One row is one record.
SELECT CAST(dataset.qi AS VARCHAR) AS qi FROM dataset
