-- The text of a field as a type that is not proved yet: NULL where it is none. One row is one record.
SELECT TRY_CAST(dataset.qi AS VARCHAR) AS qi FROM dataset
