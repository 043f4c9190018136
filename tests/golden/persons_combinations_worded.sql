SELECT
  frequency_set.person,
  several.combinations,
  keys_1.w0 | (
    CAST(frequency_set.c5 AS BIGINT) << 2
  ) AS w0
FROM frequency_set
JOIN (
  SELECT
    frequency_set.person,
    COUNT(*) AS combinations
  FROM frequency_set
  GROUP BY
    frequency_set.person
  HAVING
    COUNT(*) > 1
) AS several
  ON several.person = frequency_set.person
JOIN (
  SELECT DISTINCT
    keys.cell,
    (
      CAST(keys.q1_l0 AS BIGINT)
    ) AS w0
  FROM keys_1 AS keys
) AS keys_1
  ON frequency_set.c1 = keys_1.cell;
