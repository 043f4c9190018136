-- How many rows, and how many persons, are released and withheld? One row is one of the two.
SELECT decided.withheld, SUM(decided.n) AS n, COUNT(DISTINCT decided.person) AS persons
FROM decided
GROUP BY decided.withheld
