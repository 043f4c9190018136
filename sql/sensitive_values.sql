-- The frequency of each value of a sensitive attribute in the whole dataset. One row is one value. Where persons are
-- counted, n is COUNT(DISTINCT …) of them.
SELECT dataset.qi AS key, COUNT(*) AS n
FROM dataset
GROUP BY dataset.qi
