-- The sales of each month of the original, in units of price times quantity, and its first and last day. One row is one
-- month.
SELECT
  STRFTIME(sale.day, '%Y-%m') AS month,
  CAST(DATE_DIFF('day', DATE '1970-01-01', DATE_TRUNC('month', MIN(sale.day))) AS DOUBLE) AS first,
  CAST(DATE_DIFF('day', DATE '1970-01-01', LAST_DAY(MIN(sale.day))) AS DOUBLE) AS last,
  SUM(sale.sold) AS sold
FROM (
  SELECT
    DATE '1970-01-01' + CAST(original_records.u1 AS INTEGER) AS day,
    CAST(original_records.price AS DOUBLE) * original_records.quantity AS sold
  FROM original_records
) AS sale
GROUP BY month
