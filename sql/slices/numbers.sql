-- The records as numbers, in the order that they were put in: decimals count units of their last digit, computed in
-- more digits than they have; dates and time stamps count from the beginning of 1970-01-01; a value that is no number
-- goes by its text. One row is one record.
SELECT
  CAST(microdata.measured AS DOUBLE) AS measured,
  CAST(microdata.decimals * CAST(100 AS DECIMAL(20, 0)) AS BIGINT) AS decimals,
  CAST(CAST(microdata.moment AS DATE) - CAST('1970-01-01' AS DATE) AS BIGINT) AS day,
  EPOCH_US(microdata.moment) AS microsecond,
  EPOCH_NS(microdata.moment) AS nanosecond,
  CAST(microdata.value AS VARCHAR) AS text
FROM microdata
