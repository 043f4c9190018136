-- The exact sum of each number, and of its squares. One row.
SELECT
  COALESCE(SUM(purchases.measured), 0) AS total,
  COALESCE(SUM(CAST(purchases.measured AS HUGEINT) * purchases.measured), 0) AS squares
FROM purchases
