-- What k does a release of persons have? The histogram of its class sizes: one row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(*) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size
