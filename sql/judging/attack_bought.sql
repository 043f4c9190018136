-- The purchases of each attacked customer in each bin of a column, and in all bins up to it. One row is one customer
-- with one bin, or with the bin 0 before all others; both are packed into one number, the place.
SELECT
  grid.customer,
  grid.bin,
  CAST(grid.customer AS BIGINT) * 4294967296 + grid.bin AS place,
  COALESCE(purchases.n, 0) AS n,
  CAST(SUM(COALESCE(purchases.n, 0)) OVER (PARTITION BY grid.customer ORDER BY grid.bin) AS BIGINT) AS upto
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
