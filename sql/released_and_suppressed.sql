-- How many rows, and how many persons, are released and suppressed? One row is one of the two.
SELECT decided.suppressed, SUM(decided.n) AS n, COUNT(DISTINCT decided.person) AS persons
FROM decided
GROUP BY decided.suppressed
