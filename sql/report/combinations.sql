-- The rows of each combination of values of a release. One row is one combination, of one person where a pseudonym
-- tells persons apart. In a statistical table a row stands for as many units as it counts.
SELECT released.value, released.person, CAST(SUM(CAST(released.n AS BIGINT)) AS BIGINT) AS n
FROM released
GROUP BY released.value, released.person
