-- The pieces of each item sold in the original. One row is one item.
SELECT original_records.item, SUM(CAST(original_records.quantity AS DOUBLE)) AS sold
FROM original_records
GROUP BY original_records.item
