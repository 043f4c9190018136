-- The records as numbers, in the order that they were put in: decimals count units of their last digit, reckoned in more
-- digits than they have. One row is one record.
SELECT
  CAST(microdata.measured AS DOUBLE) AS measured,
  CAST(microdata.decimals * CAST(100 AS DECIMAL(20, 0)) AS BIGINT) AS decimals
FROM microdata
