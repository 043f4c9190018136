-- Does the first line of CSV files look like their rows? One row: of a column, how many values it has below that line, how
-- many are the same text, how many are that text but for their digits, and how many are figures: digits without letters.
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
