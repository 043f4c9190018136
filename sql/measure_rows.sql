-- The k of a release of persons: the histogram of its class sizes. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(*) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size
