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
FROM released
