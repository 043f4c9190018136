-- A smaller frequency set from a finer one. One row is one combination of classes.
SELECT frequency_set.qi AS qi, SUM(frequency_set.n) AS n
FROM frequency_set
GROUP BY frequency_set.qi
