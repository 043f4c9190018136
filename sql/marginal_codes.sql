-- The frequency of each code of a rule, and the number of its values. One row is one code. n_log_n is the sum of n ln n
-- over its values, which the entropy of the original values needs: in decimals, whose sum is the same in any order. The
-- source runs the subquery `counted`, the workspace the rest.
SELECT
  coded.code AS key,
  coded.code AS code,
  COUNT(*) AS leaves,
  SUM(coded.n) AS n,
  SUM(CAST(coded.n * LN(coded.n) AS DECIMAL(38, 9))) AS n_log_n
FROM (
  SELECT counted.code AS code, counted.n
  FROM (
    SELECT dataset.qi AS key, dataset.code AS code, COUNT(*) AS n
    FROM dataset
    GROUP BY dataset.qi, dataset.code
  ) AS counted
) AS coded
GROUP BY coded.code
