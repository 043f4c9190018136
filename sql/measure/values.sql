-- The rows of each value of a column of a table that is measured as it is. One row is one value.
SELECT dataset.qi AS value, COUNT(*) AS n FROM dataset GROUP BY dataset.qi
