-- What k does a released statistical table have? The histogram of its class sizes: one row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT SUM(CAST(released.n AS BIGINT)) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size
