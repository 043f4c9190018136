-- The contents of the different rows of a release, in units: `[a, b]`, or the contest's `[a;b]`, is from a to b, a value
-- from itself to itself; of the day, and of the numbers, whose columns are there once for each. `*` and nothing at all
-- are deleted; any other text that is no content is unreadable. One row is one way of writing a row.
-- $unit_2 = 1.0
-- $most = 9007199254740992
SELECT
  cells.content,
  cells.rows,
  cells.item,
  cells.cell_1,
  cells.cell_2,
  set_of_text.item_set,
  cells.low_1,
  cells.high_1,
  cells.low_2,
  cells.high_2,
  cells.item NOT IN ('', '*') OR cells.cell_1 NOT IN ('', '*') OR cells.cell_2 NOT IN ('', '*') AS written,
  cells.item NOT IN ('', '*') AND set_of_text.item_set IS NULL AS unreadable_item,
  cells.cell_1 NOT IN ('', '*')
  AND NOT (cells.closed_1 AND COALESCE(cells.low_1 <= cells.high_1, FALSE)) AS unreadable_1,
  cells.cell_2 NOT IN ('', '*')
  AND NOT (cells.closed_2 AND COALESCE(cells.low_2 <= cells.high_2, FALSE)) AS unreadable_2
FROM (
  SELECT
    part.content,
    part.rows,
    part.item,
    part.cell_1,
    part.cell_2,
    part.closed_1,
    part.closed_2,
    CASE
      WHEN TRY_CAST(part.first_1 AS DATE) BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'
        THEN CAST(DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(part.first_1 AS DATE)) AS DOUBLE)
    END AS low_1,
    CASE
      WHEN TRY_CAST(part.last_1 AS DATE) BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'
        THEN CAST(DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(part.last_1 AS DATE)) AS DOUBLE)
    END AS high_1,
    CASE
      WHEN ABS(TRY_CAST(part.first_2 AS DOUBLE)) / $unit_2 <= $most
        THEN ROUND(TRY_CAST(part.first_2 AS DOUBLE) / $unit_2, 6)
    END AS low_2,
    CASE
      WHEN ABS(TRY_CAST(part.last_2 AS DOUBLE)) / $unit_2 <= $most
        THEN ROUND(TRY_CAST(part.last_2 AS DOUBLE) / $unit_2, 6)
    END AS high_2
  FROM (
    SELECT
      text.content,
      text.rows,
      text.item,
      text.cell_1,
      text.cell_2,
      STARTS_WITH(text.cell_1, '[') = ENDS_WITH(text.cell_1, ']')
      AND STARTS_WITH(text.cell_1, '[') = CONTAINS(text.ends_1, ';')
      AND SPLIT_PART(text.ends_1, ';', 3) = '' AS closed_1,
      STARTS_WITH(text.cell_2, '[') = ENDS_WITH(text.cell_2, ']')
      AND STARTS_WITH(text.cell_2, '[') = CONTAINS(text.ends_2, ';')
      AND SPLIT_PART(text.ends_2, ';', 3) = '' AS closed_2,
      LTRIM(SPLIT_PART(text.ends_1, ';', 1), '[') AS first_1,
      TRIM(RTRIM(SPLIT_PART(text.ends_1, ';', -1), ']')) AS last_1,
      LTRIM(SPLIT_PART(text.ends_2, ';', 1), '[') AS first_2,
      TRIM(RTRIM(SPLIT_PART(text.ends_2, ';', -1), ']')) AS last_2
    FROM (
      SELECT
        row_texts.content,
        row_texts.rows,
        row_texts.item,
        row_texts.cell_1,
        row_texts.cell_2,
        REPLACE(row_texts.cell_1, ',', ';') AS ends_1,
        REPLACE(row_texts.cell_2, ',', ';') AS ends_2
      FROM row_texts
    ) AS text
  ) AS part
) AS cells
LEFT JOIN set_of_text ON cells.item = set_of_text.item
