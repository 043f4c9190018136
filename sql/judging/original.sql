-- An original as it is read: of whom, what, on which day, and the numbers; NULL where a value is none, or has no end. The
-- column of the numbers is there once for each. One row is one row of the original, in its order.
SELECT
  ROW_NUMBER() OVER () - 1 AS record,
  CAST(dataset.id AS VARCHAR) AS customer,
  CAST(dataset.qi AS VARCHAR) AS item,
  CASE
    WHEN ISFINITE(TRY_CAST(dataset.moment AS DATE))
      THEN DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(dataset.moment AS DATE))
  END AS raw_1,
  CASE WHEN ISFINITE(CAST(dataset.measured AS DOUBLE)) THEN dataset.measured END AS raw_2
FROM dataset
