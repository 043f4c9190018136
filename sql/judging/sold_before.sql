-- How many pieces of each item were bought? One row is one item, or one class of them where classes are released.
SELECT original_records.element, SUM(CAST(original_records.quantity AS DOUBLE)) AS sold
FROM original_records
GROUP BY original_records.element
