-- Profiles of columns, for drafts.

-- name: figures
-- The profile of a column whose values are counted. One row: rows, rows of NULL, different values, those of one row.
SELECT
  COALESCE(SUM(counted.n), 0) AS n,
  COALESCE(SUM(CASE WHEN counted.value IS NULL THEN counted.n ELSE 0 END), 0) AS nulls,
  COUNT(counted.value) AS different,
  SUM(CASE WHEN counted.n = 1 AND counted.value IS NOT NULL THEN 1 ELSE 0 END) AS single
FROM counted;

-- name: values
-- The most frequent values of a column, each of which was counted. One row is one value.
-- $most = 2
SELECT CAST(counted.value AS VARCHAR) AS value, counted.n AS n
FROM counted
WHERE counted.value IS NOT NULL
ORDER BY n DESC, value
LIMIT $most;

-- name: texts
-- The texts of a column whose values are counted. One row: the shortest and the longest in characters, words a row, and
-- whether every text is made of digits.
SELECT
  MIN(LENGTH(CAST(counted.value AS VARCHAR))) AS shortest,
  MAX(LENGTH(CAST(counted.value AS VARCHAR))) AS longest,
  SUM(counted.n * (1.0 + LENGTH(TRIM(CAST(counted.value AS VARCHAR)))
    - LENGTH(REPLACE(TRIM(CAST(counted.value AS VARCHAR)), ' ', '')))) / SUM(counted.n) AS words,
  BOOL_AND(REGEXP_FULL_MATCH(CAST(counted.value AS VARCHAR), '[0-9]+')) AS digits_only
FROM counted
WHERE counted.value IS NOT NULL;

-- name: form
-- The rows whose text is of a form, of a column whose values are counted. One row: their number.
-- $form = '[0-9]+'
SELECT COALESCE(SUM(counted.n), 0) AS n
FROM counted
WHERE REGEXP_FULL_MATCH(CAST(counted.value AS VARCHAR), $form);

-- name: unlike
-- The most frequent texts that are of no form, of a column whose values are counted. One row is one text.
-- $form = '[0-9]+'
-- $most = 2
SELECT CAST(counted.value AS VARCHAR) AS value
FROM counted
WHERE counted.value IS NOT NULL AND NOT REGEXP_FULL_MATCH(CAST(counted.value AS VARCHAR), $form)
ORDER BY counted.n DESC, value
LIMIT $most;

-- name: made_null
-- The rows of a table whose value in a column is there and becomes NULL where a column stands in for an expression over
-- it (dataset.code). One row: their number.
SELECT COALESCE(SUM(CASE WHEN dataset.qi IS NOT NULL AND dataset.code IS NULL THEN 1 ELSE 0 END), 0) AS n
FROM dataset;

-- name: quantiles
-- The quantiles of a column of numbers or dates, whose values are counted. One row is a value that is at least one of
-- them: at `first`/$parts to `last`/$parts of the rows, from 0.
-- $parts = 4
SELECT CAST(placed.value AS VARCHAR) AS value, placed.first_part, placed.last_part
FROM (
  SELECT
    ranked.value,
    CASE WHEN ranked.upto = ranked.n THEN 0 ELSE CAST(FLOOR((ranked.upto - ranked.n) * $parts / ranked.total) AS BIGINT) + 1 END
      AS first_part,
    CAST(FLOOR(ranked.upto * $parts / ranked.total) AS BIGINT) AS last_part
  FROM (
    SELECT
      counted.value,
      counted.n,
      CAST(SUM(counted.n) OVER (ORDER BY counted.value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) AS upto,
      CAST(SUM(counted.n) OVER () AS DOUBLE) AS total
    FROM counted
    WHERE counted.value IS NOT NULL
  ) AS ranked
) AS placed
WHERE placed.last_part >= placed.first_part
ORDER BY placed.first_part;
