-- The texts of a column whose values are counted. One row: the shortest and the longest in characters, words a row, and
-- whether every text is made of digits.
SELECT
  MIN(LENGTH(CAST(counted.value AS VARCHAR))) AS shortest,
  MAX(LENGTH(CAST(counted.value AS VARCHAR))) AS longest,
  SUM(counted.n * (1.0 + LENGTH(TRIM(CAST(counted.value AS VARCHAR)))
    - LENGTH(REPLACE(TRIM(CAST(counted.value AS VARCHAR)), ' ', '')))) / SUM(counted.n) AS words,
  BOOL_AND(REGEXP_FULL_MATCH(CAST(counted.value AS VARCHAR), '[0-9]+')) AS digits_only
FROM counted
WHERE counted.value IS NOT NULL
