-- The values of a sensitive attribute as a release has them: numbers in their order, NULL last. One row is one value.
SELECT own.key, ROW_NUMBER() OVER (ORDER BY own.key NULLS LAST) - 1 AS cell, own.n
FROM (SELECT counted.value AS key, SUM(counted.n) AS n FROM counted GROUP BY counted.value) AS own
