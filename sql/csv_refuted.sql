-- The texts that refute what a sample shows of a column, each as 1: a text that a whole number, date or timestamp is
-- written differently from; one that is no decimal number of so many decimals and characters; one that is none of at
-- most 15 digits; one that is no boolean; any text at all; and one that is the name of the column. NULL has no decimals,
-- and refutes nothing else. One row is one record.
-- $scale = 2
-- $digits = 18
-- $text = 'age'
SELECT
  CAST(CAST(TRY_CAST(dataset.qi AS BIGINT) AS VARCHAR) IS DISTINCT FROM dataset.qi AS BIGINT) AS rewritten,
  CASE
    WHEN REGEXP_FULL_MATCH(dataset.qi, '-?(0|[1-9][0-9]*)[.][0-9]+')
      AND LENGTH(dataset.qi) - STRPOS(dataset.qi, '.') = $scale
      AND LENGTH(dataset.qi) <= $digits THEN 0
    ELSE 1
  END AS no_decimal,
  CASE
    WHEN LENGTH(dataset.qi) <= 16 AND REGEXP_FULL_MATCH(dataset.qi, '-?(0|[1-9][0-9]*)([.][0-9]+)?')
    OR dataset.qi IS NULL THEN 0
    ELSE 1
  END AS no_short_decimal,
  CASE WHEN dataset.qi IN ('true', 'false') OR dataset.qi IS NULL THEN 0 ELSE 1 END AS no_boolean,
  CASE WHEN dataset.qi IS NULL THEN 0 ELSE 1 END AS any_text,
  CASE WHEN dataset.qi = $text THEN 1 ELSE 0 END AS named
FROM dataset
