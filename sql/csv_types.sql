-- The types that the texts of a column can be read as without being written differently. One row: the sum, over the
-- types that every value fits, of 1 whole number, 2 decimal number, 4 decimal number of at most 15 digits, 8 date, 16
-- timestamp, 32 boolean; and of decimal numbers the least and greatest number of decimals and the most characters.
SELECT
  BIT_AND(CASE WHEN NOT dataset.qi IS NULL THEN
    CASE WHEN CAST(TRY_CAST(dataset.qi AS BIGINT) AS VARCHAR) = dataset.qi THEN 1 ELSE 0 END
    + CASE WHEN REGEXP_FULL_MATCH(dataset.qi, '-?(0|[1-9][0-9]*)([.][0-9]+)?') THEN 2 ELSE 0 END
    + CASE
        WHEN REGEXP_FULL_MATCH(dataset.qi, '-?(0|[1-9][0-9]*)([.][0-9]+)?') AND LENGTH(dataset.qi) <= 16 THEN 4
        ELSE 0
      END
    + CASE WHEN CAST(TRY_CAST(dataset.qi AS DATE) AS VARCHAR) = dataset.qi THEN 8 ELSE 0 END
    + CASE WHEN CAST(TRY_CAST(dataset.qi AS TIMESTAMP) AS VARCHAR) = dataset.qi THEN 16 ELSE 0 END
    + CASE WHEN dataset.qi IN ('true', 'false') THEN 32 ELSE 0 END
  END) AS fits,
  MIN(CASE WHEN dataset.qi LIKE '%.%' THEN LENGTH(dataset.qi) - STRPOS(dataset.qi, '.') ELSE 0 END) AS least_scale,
  MAX(CASE WHEN dataset.qi LIKE '%.%' THEN LENGTH(dataset.qi) - STRPOS(dataset.qi, '.') ELSE 0 END) AS greatest_scale,
  MAX(LENGTH(dataset.qi)) AS digits
FROM dataset
