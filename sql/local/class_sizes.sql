-- The persons of each class of a round. One row is one class.
SELECT part.class, COUNT(DISTINCT remaining.person) AS size
FROM local_remaining AS remaining
JOIN local_round AS part ON remaining.combo = part.combo
GROUP BY part.class
