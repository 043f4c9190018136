SELECT
  0 AS node,
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    SUM(frequency_set.n) AS size
  FROM frequency_set_wide AS frequency_set
  GROUP BY
    frequency_set.q1_l0,
    frequency_set.q2_l1,
    frequency_set.q3_l1
) AS class
GROUP BY
  class.size;
