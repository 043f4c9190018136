-- The profile of a column whose values are counted. One row: figures for a first draft of its hierarchy.
SELECT
  COUNT(counted.value) AS different,
  CAST(MIN(counted.value) AS VARCHAR) AS least,
  CAST(MAX(counted.value) AS VARCHAR) AS greatest,
  MAX(LENGTH(CAST(counted.value AS VARCHAR))) AS longest,
  MIN(LENGTH(CAST(counted.value AS VARCHAR))) AS shortest,
  SUM(CASE WHEN counted.value IS NULL THEN 1 ELSE 0 END) AS nulls,
  SUM(CASE WHEN REGEXP_MATCHES(CAST(counted.value AS VARCHAR), '[^0-9]') THEN 1 ELSE 0 END) AS not_digits
FROM counted
