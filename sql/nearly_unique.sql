-- How many different values does a kept column have, and how many of them belong to one row only? One row.
SELECT COUNT(*) AS different, COALESCE(SUM(CASE WHEN counted.n = 1 THEN 1 ELSE 0 END), 0) AS single
FROM (SELECT released.value, SUM(released.n) AS n FROM released GROUP BY released.value) AS counted
