-- The likeness of the first line of CSV files to their rows. One row: of a column, the number of values below that
-- line, of those with the same text, of those with that text but for their digits, and of figures: digits without
-- letters.
-- $text = 'age'
-- $shape = 'age'
SELECT
  COUNT(dataset.qi) AS below,
  COALESCE(SUM(CASE WHEN dataset.qi = $text THEN 1 ELSE 0 END), 0) AS same,
  COALESCE(SUM(CASE WHEN REGEXP_REPLACE(dataset.qi, '[0-9]+', '9', 'g') = $shape THEN 1 ELSE 0 END), 0) AS alike,
  COALESCE(
    SUM(
      CASE
        WHEN REGEXP_FULL_MATCH(dataset.qi, '[^\p{L}]*[0-9][^\p{L}]*([Tt][^\p{L}]*)?[Zz]?') THEN 1
        ELSE 0
      END
    ),
    0
  ) AS figures
FROM dataset
