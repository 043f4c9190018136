-- An original as it is read: customer, item, day, and the numbers; NULL where a value is none, has no end, or is a date
-- in no calendar of people. The column of the numbers is there once for each. One row is one row of the original, in
-- its order.
SELECT
  ROW_NUMBER() OVER () - 1 AS record,
  CAST(dataset.id AS VARCHAR) AS customer,
  CAST(dataset.qi AS VARCHAR) AS item,
  CASE
    WHEN TRY_CAST(dataset.moment AS DATE) BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'
      THEN DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(dataset.moment AS DATE))
  END AS raw_1,
  CASE WHEN ISFINITE(CAST(dataset.measured AS DOUBLE)) THEN dataset.measured END AS raw_2
FROM dataset
