-- The histogram of class sizes of coded combinations, in persons. One row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(DISTINCT coded.person) AS size FROM coded GROUP BY coded.cell) AS class
GROUP BY class.size
