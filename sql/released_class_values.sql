-- The frequency of each value of a sensitive attribute in each class. One row is one value in one class, with its rows
-- (or persons). Values go by their numbers.
SELECT numbered.class, sensitive.cell AS value, SUM(numbered.n) AS n, COUNT(DISTINCT numbered.person) AS persons
FROM numbered
JOIN sensitive ON numbered.value IS NOT DISTINCT FROM sensitive.key
GROUP BY numbered.class, sensitive.cell
