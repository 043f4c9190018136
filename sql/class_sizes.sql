-- The sizes of a node's classes. One row is one class: the sum of its counts (rows, or persons that are in one
-- combination), and its other persons, each counted once.
SELECT part.class, SUM(part.n) + COUNT(DISTINCT part.person) AS size
FROM (SELECT frequency_set.qi AS class, frequency_set.n, frequency_set.person FROM frequency_set) AS part
GROUP BY part.class
