-- The combinations of values in one part of a dataset, as they are, each with its rows: the one statement that reads the
-- part. One row is one combination. Counts of parts add up.
SELECT dataset.qi AS qi, COUNT(*) AS n
FROM dataset
GROUP BY dataset.qi
