SELECT
  frequency_set.n,
  keys_1.q1_l0 AS q1_l0,
  keys_2.q2_l1 AS q2_l1,
  keys_2.q2_l2 AS q2_l2,
  keys_3.q3_l1 AS q3_l1,
  keys_3.q3_l2 AS q3_l2
FROM roll_up_1 AS frequency_set
JOIN (
  SELECT DISTINCT
    keys_1.q1_l0 AS cell,
    keys_1.q1_l0 AS q1_l0
  FROM keys_1
) AS keys_1
  ON frequency_set.q1_l0 = keys_1.cell
JOIN (
  SELECT DISTINCT
    keys_2.q2_l1 AS cell,
    keys_2.q2_l1 AS q2_l1,
    keys_2.q2_l2 AS q2_l2
  FROM keys_2
) AS keys_2
  ON frequency_set.q2_l1 = keys_2.cell
JOIN (
  SELECT DISTINCT
    keys_3.q3_l1 AS cell,
    keys_3.q3_l1 AS q3_l1,
    keys_3.q3_l2 AS q3_l2
  FROM keys_3
) AS keys_3
  ON frequency_set.q3_l1 = keys_3.cell;
