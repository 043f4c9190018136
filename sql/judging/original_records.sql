-- An original in whole units, with its customers, goods and the goods' names in the release by number. The columns of
-- days and numbers are there once for each. One row is one row of the original.
-- $unit_1 = 1.0
SELECT
  original_read.record,
  judged_customers.number AS customer,
  goods.item,
  elements.element,
  CAST(ROUND(original_read.raw_1 / $unit_1) AS BIGINT) AS u1
FROM original_read
JOIN judged_customers ON original_read.customer = judged_customers.label
JOIN goods ON original_read.item = goods.label
JOIN elements ON goods.class = elements.label
