-- A map as it is written: the customer and the purchase of each row of a release; the column of the numbers is there
-- once for each. One row is one row of the map.
SELECT
  TRY_CAST(dataset.line AS BIGINT) AS line,
  CAST(dataset.id AS VARCHAR) AS customer,
  CAST(dataset.qi AS VARCHAR) AS item,
  DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(dataset.moment AS DATE)) AS raw_1,
  TRY_CAST(dataset.measured AS DOUBLE) AS raw_2
FROM dataset
