-- What is a column like? One row: figures for a first draft of its hierarchy.
SELECT
  COUNT(DISTINCT dataset.qi) AS different,
  CAST(MIN(dataset.qi) AS VARCHAR) AS least,
  CAST(MAX(dataset.qi) AS VARCHAR) AS greatest,
  MAX(LENGTH(CAST(dataset.qi AS VARCHAR))) AS longest,
  MIN(LENGTH(CAST(dataset.qi AS VARCHAR))) AS shortest,
  SUM(CASE WHEN dataset.qi IS NULL THEN 1 ELSE 0 END) AS null_rows,
  SUM(CASE WHEN REGEXP_MATCHES(CAST(dataset.qi AS VARCHAR), '[^0-9]') THEN 1 ELSE 0 END) AS not_digits
FROM dataset
