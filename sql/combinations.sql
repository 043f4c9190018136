-- The frequency set of persons, as it is kept. One row is one combination of cells: `persons` have it and no other (person
-- is NULL), or one of the combinations of a `person` with several, at a `place` among them (NULL where they are too many
-- to be compared two by two); n rows have it.
WITH numbered AS (
  SELECT
    frequency_set.qi,
    frequency_set.n,
    frequency_set.person,
    COUNT(*) OVER (PARTITION BY frequency_set.person) AS combinations,
    ROW_NUMBER() OVER (PARTITION BY frequency_set.person) AS place
  FROM frequency_set
)
SELECT
  CAST(NULL AS BIGINT) AS person,
  CAST(0 AS BIGINT) AS place,
  COUNT(*) AS persons,
  CAST(SUM(numbered.n) AS BIGINT) AS n,
  numbered.qi
FROM numbered
WHERE numbered.combinations = 1
GROUP BY numbered.qi
UNION ALL
SELECT
  numbered.person,
  CASE WHEN numbered.combinations <= 16 THEN numbered.place - 1 END AS place,
  1 AS persons,
  numbered.n,
  numbered.qi
FROM numbered
WHERE numbered.combinations > 1
