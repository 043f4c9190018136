-- The classes of a release, numbered, with the rows (or persons) of each. One row is one class.
SELECT ROW_NUMBER() OVER () AS class, counted.value, SUM(counted.n) AS units, COUNT(DISTINCT counted.person) AS persons
FROM counted
GROUP BY counted.value
