-- How many decimals have the values of a column of numbers, so that all of them are written exactly? One row; 7 where six
-- are not enough.
SELECT MAX(
  CASE
    WHEN ROUND(original_read.raw_1, 0) = original_read.raw_1 THEN 0
    WHEN ROUND(original_read.raw_1, 1) = original_read.raw_1 THEN 1
    WHEN ROUND(original_read.raw_1, 2) = original_read.raw_1 THEN 2
    WHEN ROUND(original_read.raw_1, 3) = original_read.raw_1 THEN 3
    WHEN ROUND(original_read.raw_1, 4) = original_read.raw_1 THEN 4
    WHEN ROUND(original_read.raw_1, 5) = original_read.raw_1 THEN 5
    WHEN ROUND(original_read.raw_1, 6) = original_read.raw_1 THEN 6
    ELSE 7
  END
) AS decimals
FROM original_read
