SELECT
  frequency_set.n,
  frequency_set.rows,
  frequency_set.c5,
  keys_1.q1_l0 AS q1_l0
FROM frequency_set_counted AS frequency_set
JOIN (
  SELECT DISTINCT
    keys_1.cell AS cell,
    keys_1.q1_l0 AS q1_l0
  FROM keys_1
) AS keys_1
  ON frequency_set.c1 = keys_1.cell;
