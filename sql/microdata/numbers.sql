-- The records as numbers, in the order that they were put in: decimals count units of their last digit. One row is one
-- record.
SELECT CAST(microdata.measured AS DOUBLE) AS measured, CAST(microdata.decimals * 100 AS BIGINT) AS decimals
FROM microdata
