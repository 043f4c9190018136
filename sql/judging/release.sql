-- A release as it is written: the columns as texts, that of days and numbers once for each. One row is one row of the
-- release, in its order.
SELECT
  ROW_NUMBER() OVER () AS line,
  CAST(dataset.id AS VARCHAR) AS pseudonym,
  CAST(dataset.qi AS VARCHAR) AS item,
  CAST(dataset.measured AS VARCHAR) AS cell_1
FROM dataset
