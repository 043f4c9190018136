-- The frequency of each value of a quasi-identifier. One row is one value, with the code that its hierarchy needs. The
-- source runs the subquery `counted`, the workspace the rest.
SELECT
  counted.key,
  counted.code AS code,
  1 AS leaves,
  counted.n,
  CAST(counted.n * LN(counted.n) AS DECIMAL(38, 9)) AS n_log_n
FROM (
  SELECT dataset.qi AS key, dataset.code AS code, COUNT(*) AS n
  FROM dataset
  GROUP BY dataset.qi, dataset.code
) AS counted
