-- The rows (or persons) of each class with each value of a sensitive attribute. One row is one value in one class.
SELECT part.class AS class, part.value AS value, SUM(part.n) AS n FROM part GROUP BY part.class, part.value
