-- The frequency of each value of a sensitive attribute in each class of a round. One row is one value in one class.
SELECT part.class, remaining.code AS value, SUM(remaining.n) AS n, COUNT(DISTINCT remaining.person) AS persons
FROM local_remaining AS remaining
JOIN local_round AS part ON remaining.combo = part.combo
GROUP BY part.class, remaining.code
