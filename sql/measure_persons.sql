-- What k does a release have whose rows tell persons apart by a pseudonym? The histogram of its class sizes in persons:
-- one row is one class size.
SELECT class.size, COUNT(*) AS classes
FROM (SELECT COUNT(DISTINCT released.person) AS size FROM released GROUP BY released.value) AS class
GROUP BY class.size
