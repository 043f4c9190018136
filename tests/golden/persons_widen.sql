SELECT
  CASE WHEN frequency_set.place IS NULL THEN 0 ELSE frequency_set.persons END AS n,
  frequency_set.n AS rows,
  frequency_set.person AS owner,
  CASE WHEN frequency_set.place IS NULL THEN frequency_set.person END AS person,
  COALESCE(frequency_set.place, 0) AS place,
  frequency_set.person * 16 + frequency_set.place AS number,
  CAST(1 << CAST(COALESCE(frequency_set.place, 0) AS INT) AS USMALLINT) AS bit,
  frequency_set.c5,
  keys_1.q1_l0 AS q1_l0
FROM frequency_set AS frequency_set
JOIN (
  SELECT DISTINCT
    keys_1.cell AS cell,
    keys_1.q1_l0 AS q1_l0
  FROM keys_1
) AS keys_1
  ON frequency_set.c1 = keys_1.cell;
