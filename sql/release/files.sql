-- Files of a release.

-- name: write_csv
-- Writes a release as CSV with a header; NULL is an empty field, an empty text is two quotes. One row is one person, or
-- one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.csv' (FORMAT csv, HEADER TRUE, USE_TMP_FILE FALSE);

-- name: write_csv_gz
-- Writes a release as gzipped CSV with a header. One row is one person, or one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.csv.gz' (FORMAT csv, HEADER TRUE, COMPRESSION gzip, USE_TMP_FILE FALSE);

-- name: write_marked_csv
-- Writes a release as CSV that begins with a byte order mark, by which spreadsheet programs know UTF-8. The mark and the
-- line of names are the prefix; the suffix ends the last line. One row is one person, or one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.csv' (FORMAT csv, HEADER FALSE, PREFIX 'stand_in_names', SUFFIX 'stand_in_end', USE_TMP_FILE FALSE);

-- name: write_marked_csv_gz
-- Writes a release as gzipped CSV that begins with a byte order mark. One row is one person, or one class of a
-- statistical table.
COPY (SELECT released.value FROM released) TO 'released.csv.gz' (FORMAT csv, HEADER FALSE, PREFIX 'stand_in_names', SUFFIX 'stand_in_end', COMPRESSION gzip, USE_TMP_FILE FALSE);

-- name: write_parquet
-- Writes a release as Parquet. One row is one person, or one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.parquet' (FORMAT parquet, USE_TMP_FILE FALSE);

-- name: written_parquet
-- A written release read back. One row is one row of the release.
SELECT * FROM READ_PARQUET('stand_in.parquet');

-- name: written_csv
-- A written release read back as it stands, every field a text. One row is one row of the release.
SELECT *
FROM READ_CSV(
  'stand_in.csv',
  auto_detect = FALSE,
  header = TRUE,
  columns = {'id': 'VARCHAR', 'qi': 'VARCHAR', 'code': 'VARCHAR', 'kept': 'VARCHAR', 'condition': 'VARCHAR'},
  delim = ',',
  quote = '"',
  escape = '"',
  nullstr = '',
  allow_quoted_nulls = FALSE
);

-- name: written_csv_gz
-- A written, gzipped release read back as it stands, every field a text. One row is one row of the release.
SELECT *
FROM READ_CSV(
  'stand_in.csv.gz',
  auto_detect = FALSE,
  header = TRUE,
  columns = {'id': 'VARCHAR', 'qi': 'VARCHAR', 'code': 'VARCHAR', 'kept': 'VARCHAR', 'condition': 'VARCHAR'},
  delim = ',',
  quote = '"',
  escape = '"',
  nullstr = '',
  allow_quoted_nulls = FALSE,
  compression = 'gzip'
);

-- name: unfit
-- What of a release a workbook cannot hold. One row: the rows of the release, the rows without any value, then for each
-- kind of column the values that do not fit: texts that are empty, texts of more than 32,767 UTF-16 units, texts with a
-- character that XML does not have, numbers of more than 15 digits, numbers that are not finite, days, moments and times.
SELECT
  COUNT(*) AS n,
  COUNT(CASE WHEN released.value IS NULL THEN 1 END) AS blank,
  COUNT(CASE WHEN CAST(released.value AS VARCHAR) = '' THEN 1 END) AS empty,
  COUNT(CASE
    WHEN STRLEN(CAST(released.value AS VARCHAR)) > 32767
      AND LENGTH(CAST(released.value AS VARCHAR))
        + LENGTH(REGEXP_REPLACE(CAST(released.value AS VARCHAR), '[^\x{10000}-\x{10FFFF}]', '', 'g')) > 32767
    THEN 1
  END) AS long,
  COUNT(CASE WHEN REGEXP_MATCHES(CAST(released.value AS VARCHAR), '[\x{FFFE}\x{FFFF}]') THEN 1 END) AS odd,
  COUNT(CASE
    WHEN LENGTH(RTRIM(REGEXP_REPLACE(CAST(released.n AS VARCHAR), '^-?0*[.]?0*|[.]', '', 'g'), '0')) > 15 THEN 1
  END) AS exact,
  COUNT(CASE WHEN NOT ISFINITE(CAST(released.n AS DOUBLE)) THEN 1 END) AS finite,
  COUNT(CASE
    WHEN NOT TRY_CAST(released.value AS DATE) BETWEEN DATE '1900-01-01' AND DATE '9999-12-31' THEN 1
  END) AS day,
  COUNT(CASE
    WHEN TRY_CAST(released.value AS TIMESTAMP) < TIMESTAMP '1900-01-01 00:00:00'
      OR TRY_CAST(released.value AS TIMESTAMP) > TIMESTAMP '9999-12-31 23:59:59.999'
      OR EXTRACT(MICROSECONDS FROM TRY_CAST(released.value AS TIMESTAMP)) % 1000 <> 0
    THEN 1
  END) AS moment,
  COUNT(CASE
    WHEN TRY_CAST(released.value AS TIME) > TIME '23:59:59.999'
      OR EXTRACT(MICROSECONDS FROM TRY_CAST(released.value AS TIME)) % 1000 <> 0
    THEN 1
  END) AS time
FROM released;

-- name: in_workbook
-- A release as the cells of a workbook: values that are no number, day, time or truth value as texts. One row is one row
-- of the release.
SELECT CAST(released.value AS VARCHAR) AS value, CAST(CAST(released.n AS VARCHAR) AS DOUBLE) AS single FROM released;
