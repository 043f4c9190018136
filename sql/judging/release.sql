-- A release as it is written: the columns as texts, NULL as `*`, that of days and numbers once for each. One row is one row of the
-- release, in its order.
SELECT
  ROW_NUMBER() OVER () AS line,
  COALESCE(CAST(dataset.id AS VARCHAR), '*') AS pseudonym,
  COALESCE(CAST(dataset.qi AS VARCHAR), '*') AS item,
  COALESCE(CAST(dataset.measured AS VARCHAR), '*') AS cell_1
FROM dataset
