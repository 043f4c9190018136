-- The rows (or persons) of each class of a node with each value of a sensitive attribute. One row is one value in one
-- class.
SELECT part.class, part.value, SUM(part.n) + COUNT(DISTINCT part.person) AS n
FROM (
  SELECT frequency_set.qi AS class, frequency_set.cell AS value, frequency_set.n, frequency_set.person
  FROM frequency_set
) AS part
GROUP BY part.class, part.value
