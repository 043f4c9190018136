-- Files as sources.

-- name: csv_first_line
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
FROM dataset;

-- name: parquet
-- The Parquet files of a source as one table. One row is one row of the files.
SELECT * FROM READ_PARQUET('stand_in.parquet', union_by_name = TRUE);

-- name: csv_text
-- CSV files of one shape as a table of texts, nothing guessed: an empty field is NULL, two quotes are an empty text.
-- One row is one record after the header.
SELECT dataset.qi
FROM READ_CSV(
  'stand_in.csv',
  auto_detect = FALSE,
  header = TRUE,
  delim = ',',
  quote = '"',
  escape = '"',
  comment = '',
  nullstr = '',
  allow_quoted_nulls = FALSE,
  columns = {'id': 'VARCHAR', 'qi': 'VARCHAR', 'code': 'VARCHAR', 'kept': 'VARCHAR', 'condition': 'VARCHAR'}
) AS dataset;

-- name: csv_types
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
FROM dataset;

-- name: csv_loaded
-- Reads CSV files once, as a Parquet file that every later statement reads instead. One row is one record.
COPY (SELECT dataset.qi FROM dataset) TO 'table.parquet' (FORMAT parquet, USE_TMP_FILE FALSE, WRITE_BLOOM_FILTER FALSE);

-- name: csv_evidence
-- The records of loaded CSV files that refute what a sample showed of their columns. One row: of each kind of them,
-- their number.
SELECT COALESCE(SUM(dataset.id), 0) AS records FROM dataset;

-- name: csv_typed
-- The texts of CSV files as the types that were found for their columns. One row is one record.
SELECT CAST(dataset.qi AS VARCHAR) AS qi FROM dataset;

-- name: csv_sample
-- The first texts of CSV files: too few to prove the type of a column, enough to rule out most. One row is one record.
SELECT * FROM dataset LIMIT 20480;

-- name: csv_tried
-- The text of a field as a type that is not proved yet: NULL where it is none. One row is one record.
SELECT TRY_CAST(dataset.qi AS VARCHAR) AS qi FROM dataset;

-- name: csv_refuted
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
FROM dataset;

-- name: records_by_form
-- The records of loaded files whose text in a column is of a form, or is of none. One row: the number of one, from 1.
-- $form = '[0-9]+'
-- $of_form = TRUE
-- $most = 5
SELECT numbered.record
FROM (SELECT dataset.qi AS cell, ROW_NUMBER() OVER () AS record FROM dataset) AS numbered
WHERE REGEXP_FULL_MATCH(numbered.cell, $form) = $of_form
ORDER BY numbered.record
LIMIT $most;

-- name: view
-- Gives the files of a source the name of a table. One row is one row of the files.
CREATE OR REPLACE VIEW source_files AS SELECT dataset.qi FROM dataset;
