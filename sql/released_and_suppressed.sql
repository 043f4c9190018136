-- The released and the suppressed rows and persons. One row is one of the two: the number of its rows and of its
-- persons.
SELECT decided.suppressed, SUM(decided.n) AS n, COUNT(DISTINCT decided.person) AS persons
FROM decided
GROUP BY decided.suppressed
