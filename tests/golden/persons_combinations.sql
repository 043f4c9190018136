WITH numbered AS (
  SELECT
    frequency_set.c1,
    frequency_set.c5,
    frequency_set.n,
    frequency_set.person,
    COUNT(*) OVER (PARTITION BY frequency_set.person) AS combinations,
    ROW_NUMBER() OVER (PARTITION BY frequency_set.person) AS place
  FROM frequency_set_counted AS frequency_set
)
SELECT
  CAST(NULL AS BIGINT) AS person,
  CAST(0 AS BIGINT) AS place,
  COUNT(*) AS persons,
  CAST(SUM(numbered.n) AS BIGINT) AS n,
  numbered.c1,
  numbered.c5
FROM numbered
WHERE
  numbered.combinations = 1
GROUP BY
  numbered.c1,
  numbered.c5
UNION ALL
SELECT
  numbered.person,
  CASE WHEN numbered.combinations <= 16 THEN numbered.place - 1 END AS place,
  1 AS persons,
  numbered.n,
  numbered.c1,
  numbered.c5
FROM numbered
WHERE
  numbered.combinations > 1;
