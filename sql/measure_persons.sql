-- The k of a release whose rows distinguish persons by a pseudonym: the histogram of its class sizes in persons. One
-- row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(DISTINCT released.person) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size
