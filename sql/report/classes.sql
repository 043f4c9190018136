-- The histogram of class sizes of coded combinations, in rows. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT CAST(SUM(coded.n) AS BIGINT) AS size FROM coded GROUP BY coded.cell) AS class
GROUP BY class.size
