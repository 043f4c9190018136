-- The latest purchase, number of purchases and spending of each customer. One row is one customer.
SELECT
  original_records.customer,
  CAST(MAX(original_records.u1) AS DOUBLE) AS recency,
  COUNT(*) AS frequency,
  SUM(CAST(original_records.price AS DOUBLE) * original_records.quantity) AS monetary
FROM original_records
GROUP BY original_records.customer
