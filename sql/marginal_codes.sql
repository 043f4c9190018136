-- How often does each code of a rule occur, and over how many values? One row is one code. n_log_n is the sum of
-- n ln n over its values, which the entropy of the original values needs: in decimals, whose sum is the same in any order.
SELECT
  counted.code AS key,
  counted.code AS code,
  COUNT(*) AS leaves,
  SUM(counted.n) AS n,
  SUM(CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT dataset.qi AS value, dataset.code AS code, COUNT(*) AS n
  FROM dataset
  GROUP BY dataset.qi, dataset.code
) AS counted
GROUP BY counted.code
