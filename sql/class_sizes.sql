-- How large are the classes of a node? One row is one class: what is added up in it (rows, or persons that are in one
-- combination), and the persons that must be told apart, each counted once.
SELECT part.class, SUM(part.n) + COUNT(DISTINCT part.person) AS size
FROM (SELECT frequency_set.qi AS class, frequency_set.n, frequency_set.person FROM frequency_set) AS part
GROUP BY part.class
