-- The frequency set of persons with the class of every cell at every coarser level beside it. One row is one combination:
-- n persons are added up; `person` is counted once (NULL where n tells); `owner` is whose it is, where that person has
-- several; `place`, `number` and `bit` tell the combinations of a person apart.
SELECT
  CASE WHEN frequency_set.place IS NULL THEN 0 ELSE frequency_set.persons END AS n,
  frequency_set.n AS rows,
  frequency_set.person AS owner,
  CASE WHEN frequency_set.place IS NULL THEN frequency_set.person END AS person,
  COALESCE(frequency_set.place, 0) AS place,
  frequency_set.person * 16 + frequency_set.place AS number,
  CAST(1 << CAST(COALESCE(frequency_set.place, 0) AS INTEGER) AS USMALLINT) AS bit,
  frequency_set.cell AS cell,
  keys.level AS level
FROM frequency_set
JOIN (SELECT DISTINCT keys.cell, keys.level FROM keys) AS keys ON frequency_set.qi = keys.cell
