SELECT
  packed.w0 & 4294967295 AS w0,
  CAST(SUM(packed.n) AS BIGINT) AS n,
  BIT_OR(packed.v5_0) AS v5_0
FROM (
  SELECT
    frequency_set.n,
    keys_1.w0 | keys_2.w0 | keys_3.w0 | keys_4.w0 AS w0,
    CASE
      WHEN frequency_set.c5 BETWEEN 0 AND 61
      THEN CAST(1 AS BIGINT) << (
        CAST(frequency_set.c5 AS BIGINT) - 0
      )
      ELSE 0
    END AS v5_0
  FROM frequency_set AS frequency_set
  JOIN (
    SELECT DISTINCT
      keys.cell,
      (
        CAST(keys.q1_l0 AS BIGINT)
      ) AS w0
    FROM keys_1 AS keys
  ) AS keys_1
    ON frequency_set.c1 = keys_1.cell
  JOIN (
    SELECT DISTINCT
      keys.cell,
      (
        CAST(keys.q2_l1 AS BIGINT) << 2
      ) | (
        CAST(keys.q2_l2 AS BIGINT) << 5
      ) AS w0
    FROM keys_2 AS keys
  ) AS keys_2
    ON frequency_set.c2 = keys_2.cell
  JOIN (
    SELECT DISTINCT
      keys.cell,
      (
        CAST(keys.q3_l0 AS BIGINT) << 8
      ) | (
        CAST(keys.q3_l1 AS BIGINT) << 15
      ) | (
        CAST(keys.q3_l2 AS BIGINT) << 22
      ) AS w0
    FROM keys_3 AS keys
  ) AS keys_3
    ON frequency_set.c3 = keys_3.cell
  JOIN (
    SELECT DISTINCT
      keys.cell,
      (
        CAST(keys.q4_l1 AS BIGINT) << 29
      ) AS w0
    FROM keys_4 AS keys
  ) AS keys_4
    ON frequency_set.c4 = keys_4.cell
) AS packed
GROUP BY
  packed.w0 & 4294967295;
