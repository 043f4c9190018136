-- How many combinations has the person who has most? One row.
SELECT MAX(one.combinations) AS combinations
FROM (SELECT COUNT(*) AS combinations FROM frequency_set GROUP BY frequency_set.person) AS one
