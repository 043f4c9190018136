-- How often has each attacked customer bought in each bin of a column, and in all bins up to it? One row is one customer
-- with one bin, or with what is before all bins (0).
SELECT
  grid.customer,
  grid.bin,
  COALESCE(purchases.n, 0) AS n,
  SUM(COALESCE(purchases.n, 0)) OVER (PARTITION BY grid.customer ORDER BY grid.bin) AS upto
FROM (
  SELECT attack_customers.customer, each.bin
  FROM attack_customers
  CROSS JOIN (SELECT attack_bin_shares.bin FROM attack_bin_shares UNION ALL SELECT 0 AS bin) AS each
) AS grid
LEFT JOIN (
  SELECT original_records.customer, attack_bins.bin, COUNT(*) AS n
  FROM original_records
  JOIN attack_customers ON original_records.customer = attack_customers.customer
  JOIN attack_bins ON original_records.u1 = attack_bins.value
  GROUP BY original_records.customer, attack_bins.bin
) AS purchases ON grid.customer = purchases.customer AND grid.bin = purchases.bin
