-- The number of rows of an original that lack a customer, an item, a day or a number, and the size of the numbers. One
-- row.
SELECT
  COUNT(*) AS records,
  COUNT(*) - COUNT(original_read.customer) AS without_customer,
  COUNT(*) - COUNT(original_read.item) AS without_item,
  COUNT(*) - COUNT(original_read.raw_1) AS without_1,
  COALESCE(MAX(ABS(CAST(original_read.raw_1 AS DOUBLE))), 0) AS largest_1
FROM original_read
