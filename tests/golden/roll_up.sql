SELECT
  frequency_set.q1_l0 AS q1_l0,
  frequency_set.q2_l1 AS q2_l1,
  frequency_set.q3_l1 AS q3_l1,
  SUM(frequency_set.n) AS n
FROM frequency_set_wide AS frequency_set
GROUP BY
  frequency_set.q1_l0,
  frequency_set.q2_l1,
  frequency_set.q3_l1;
