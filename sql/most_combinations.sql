-- The number of combinations of the person with the most. One row.
SELECT MAX(one.combinations) AS combinations
FROM (SELECT COUNT(*) AS combinations FROM frequency_set GROUP BY frequency_set.person) AS one
