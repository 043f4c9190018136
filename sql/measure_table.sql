-- The k of a released statistical table: the histogram of its class sizes. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT SUM(CAST(released.n AS BIGINT)) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size
