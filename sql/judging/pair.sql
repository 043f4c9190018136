-- Histories and their release, read in.

-- name: original
-- An original as it is read: customer, item, day, and the numbers; NULL where a value is none, has no end, or is a date
-- in no calendar of people. The column of the numbers is there once for each. One row is one row of the original, in
-- its order.
SELECT
  ROW_NUMBER() OVER () - 1 AS record,
  CAST(dataset.id AS VARCHAR) AS customer,
  CAST(dataset.qi AS VARCHAR) AS item,
  CASE
    WHEN TRY_CAST(dataset.moment AS DATE) BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'
      THEN DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(dataset.moment AS DATE))
  END AS raw_1,
  CASE WHEN ISFINITE(CAST(dataset.measured AS DOUBLE)) THEN dataset.measured END AS raw_2
FROM dataset;

-- name: original_missing
-- The number of rows of an original that lack a customer, an item, a day or a number, and the size of the numbers. One
-- row.
SELECT
  COUNT(*) AS records,
  COUNT(*) - COUNT(original_read.customer) AS without_customer,
  COUNT(*) - COUNT(original_read.item) AS without_item,
  COUNT(*) - COUNT(original_read.raw_1) AS without_1,
  COALESCE(MAX(ABS(CAST(original_read.raw_1 AS DOUBLE))), 0) AS largest_1
FROM original_read;

-- name: goods
-- The name of each good of the original in a release: its own. One row is one good.
SELECT numbered_texts.number AS item, numbered_texts.label, numbered_texts.label AS class FROM numbered_texts;

-- name: goods_of_classes
-- The name of each good of the original in a release: its class in a taxonomy; NULL where it is not in there. One row
-- is one good.
-- $leaves = ['east', 'west']
-- $classes = ['land', 'land']
SELECT numbered_texts.number AS item, numbered_texts.label, listed.class
FROM numbered_texts
LEFT JOIN (SELECT UNNEST($leaves) AS leaf, UNNEST($classes) AS class) AS listed ON numbered_texts.label = listed.leaf;

-- name: goods_without_class
-- The number of the original's goods that are in no class of a taxonomy. One row.
SELECT COUNT(*) - COUNT(goods.class) AS goods FROM goods;

-- name: original_records
-- An original in whole units, with its customers, goods and the goods' names in the release by number. The columns of
-- days and numbers are there once for each. One row is one row of the original.
-- $unit_1 = 1.0
SELECT
  original_read.record,
  judged_customers.number AS customer,
  goods.item,
  elements.element,
  CAST(ROUND(original_read.raw_1 / $unit_1) AS BIGINT) AS u1
FROM original_read
JOIN judged_customers ON original_read.customer = judged_customers.label
JOIN goods ON original_read.item = goods.label
JOIN elements ON goods.class = elements.label;

-- name: deviations
-- The standard deviations of the columns of an original, in units. One row.
SELECT STDDEV_POP(original_records.u1) AS sd_1 FROM original_records;

-- name: elements
-- The number of the original's goods for each element of the released sets: 0 where it is neither a good nor a class of
-- some. One row is one element.
SELECT numbered_texts.number AS element, numbered_texts.label, COUNT(goods.item) AS goods
FROM numbered_texts
LEFT JOIN goods ON numbered_texts.label = goods.class
GROUP BY numbered_texts.number, numbered_texts.label;

-- name: numbered
-- The different values of a column of texts by number, in their order. One row is one value.
SELECT CAST(ROW_NUMBER() OVER (ORDER BY different.label) - 1 AS INTEGER) AS number, different.label
FROM (SELECT DISTINCT texts.label AS label FROM texts WHERE texts.label IS NOT NULL) AS different;

-- name: release
-- A release as it is written: the columns as texts, NULL as `*`, that of days and numbers once for each. One row is one row of the
-- release, in its order.
SELECT
  ROW_NUMBER() OVER () AS line,
  COALESCE(CAST(dataset.id AS VARCHAR), '*') AS pseudonym,
  COALESCE(CAST(dataset.qi AS VARCHAR), '*') AS item,
  COALESCE(CAST(dataset.measured AS VARCHAR), '*') AS cell_1
FROM dataset;

-- name: release_rows
-- The number of rows of a release, with those that are deleted. One row.
SELECT COUNT(*) AS written FROM release_read;

-- name: pseudonyms
-- The pseudonyms of a release by number, in their order; a deleted one is none. One row is one pseudonym.
SELECT CAST(ROW_NUMBER() OVER (ORDER BY different.label) - 1 AS INTEGER) AS number, different.label
FROM (SELECT DISTINCT release_read.pseudonym AS label FROM release_read) AS different
WHERE different.label NOT IN ('', '*');

-- name: item_texts
-- The list in each different cell of items, still as it is quoted: `{a, b}` and the contest's `{a;b}` are sets, anything
-- else one item. A cell in which the engine writes a good is that good; one with semicolons or a single name in braces
-- may be the name of a good as it is. One row is one cell text; `elements` is NULL where its brackets or quotes do not
-- close.
SELECT
  cell.item,
  CASE
    WHEN written.class IS NOT NULL THEN [cell.item]
    WHEN cell.commas AND NOT CONTAINS(cell.item, '"') THEN STRING_SPLIT(REPLACE(cell.inside, ', ', ','), ',')
    WHEN cell.commas
      AND LENGTH(ARRAY_TO_STRING(REGEXP_EXTRACT_ALL(cell.inside || ',', ' ?("(?:[^"]|"")*"|[^,"]*),'), ''))
      = LENGTH(cell.inside) + 1
      THEN REGEXP_EXTRACT_ALL(cell.inside || ',', ' ?("(?:[^"]|"")*"|[^,"]*),', 1)
    WHEN known.class IS NOT NULL THEN ['"' || REPLACE(cell.item, '"', '""') || '"']
    WHEN cell.commas OR STARTS_WITH(cell.item, '{') <> ENDS_WITH(cell.item, '}') THEN NULL
    WHEN NOT STARTS_WITH(cell.item, '{') THEN [cell.item]
    WHEN NOT CONTAINS(cell.item, '"') THEN STRING_SPLIT(cell.inside, ';')
    WHEN LENGTH(ARRAY_TO_STRING(REGEXP_EXTRACT_ALL(cell.inside || ';', '("(?:[^"]|"")*"|[^;"]*);'), ''))
      = LENGTH(cell.inside) + 1
      THEN REGEXP_EXTRACT_ALL(cell.inside || ';', '("(?:[^"]|"")*"|[^;"]*);', 1)
  END AS elements
FROM (
  SELECT
    bare.item,
    bare.inside,
    STARTS_WITH(bare.item, '{')
    AND ENDS_WITH(bare.item, '}')
    AND CONTAINS(bare.unquoted, ',')
    AND NOT CONTAINS(bare.unquoted, ';') AS commas
  FROM (
    SELECT
      texts.item,
      SUBSTRING(texts.item, 2, LENGTH(texts.item) - 2) AS inside,
      REGEXP_REPLACE(texts.item, '"(?:[^"]|"")*"', '', 'g') AS unquoted
    FROM (SELECT DISTINCT release_read.item FROM release_read WHERE release_read.item NOT IN ('', '*')) AS texts
  ) AS bare
) AS cell
LEFT JOIN (
  SELECT
    different.class,
    CASE
      WHEN REGEXP_MATCHES(different.class, '[,;{}"]|^[*]?$|^[\s\p{Z}]|[\s\p{Z}]$')
        THEN '"' || REPLACE(different.class, '"', '""') || '"'
      ELSE different.class
    END AS label
  FROM (SELECT DISTINCT goods.class FROM goods) AS different
) AS written ON cell.item = written.label
LEFT JOIN (SELECT DISTINCT goods.class FROM goods) AS known ON cell.item = known.class;

-- name: listed
-- The items in the cells of items, without quotes; blanks around a name that is no item's name do not count. One row is
-- one item of one cell text.
SELECT part.item, COALESCE(exact.class, trimmed.class, TRIM(part.label)) AS label
FROM (
  SELECT
    quoted.item,
    CASE
      WHEN STARTS_WITH(quoted.label, '"') AND ENDS_WITH(quoted.label, '"') AND LENGTH(quoted.label) > 1
        THEN REPLACE(SUBSTRING(quoted.label, 2, LENGTH(quoted.label) - 2), '""', '"')
      ELSE quoted.label
    END AS label
  FROM (SELECT item_texts.item, UNNEST(item_texts.elements) AS label FROM item_texts) AS quoted
) AS part
LEFT JOIN (SELECT DISTINCT goods.class FROM goods) AS exact ON part.label = exact.class
LEFT JOIN (SELECT DISTINCT goods.class FROM goods) AS trimmed ON TRIM(part.label) = trimmed.class;

-- name: labels
-- All names that a release may give goods of the original, and all that it does give. One row is one of them, or more.
SELECT goods.class AS label FROM goods WHERE goods.class IS NOT NULL
UNION ALL
SELECT listed.label FROM listed;

-- name: text_sets
-- The elements of each cell of items by number, each once, in order: however they are written. One row is one cell text.
SELECT listed.item, LIST_SORT(LIST(DISTINCT elements.element)) AS contents
FROM listed
JOIN elements ON listed.label = elements.label
GROUP BY listed.item;

-- name: item_sets
-- The different sets of items by number. One row is one set.
SELECT CAST(ROW_NUMBER() OVER (ORDER BY different.contents) - 1 AS INTEGER) AS item_set, different.contents
FROM (SELECT DISTINCT text_sets.contents FROM text_sets) AS different;

-- name: released_sets
-- The elements of the sets of items, with how many elements a set has, and how many goods of the original they are: an
-- element that is no good counts as one. One row is one element of one set.
SELECT
  part.item_set,
  part.element,
  CAST(COUNT(*) OVER (PARTITION BY part.item_set) AS INTEGER) AS size,
  CAST(SUM(GREATEST(elements.goods, 1)) OVER (PARTITION BY part.item_set) AS INTEGER) AS goods
FROM (SELECT item_sets.item_set, UNNEST(item_sets.contents) AS element FROM item_sets) AS part
JOIN elements ON part.element = elements.element;

-- name: set_sizes
-- The number of elements and goods of each set of items. One row is one set.
SELECT released_sets.item_set, MAX(released_sets.size) AS size, MAX(released_sets.goods) AS goods
FROM released_sets
GROUP BY released_sets.item_set;

-- name: set_of_text
-- The set of each cell of items, by number. One row is one cell text.
SELECT text_sets.item, item_sets.item_set FROM text_sets JOIN item_sets ON text_sets.contents = item_sets.contents;

-- name: row_texts
-- The different rows of a release without their pseudonyms, as they are written, by number. The columns of days and
-- numbers are there once for each. One row is one way of writing a row, with how many rows are written so.
SELECT ROW_NUMBER() OVER () AS content, different.item, different.cell_1, different.rows
FROM (
  SELECT release_read.item, release_read.cell_1, COUNT(*) AS rows
  FROM release_read
  GROUP BY release_read.item, release_read.cell_1
) AS different;

-- name: contents
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
LEFT JOIN set_of_text ON cells.item = set_of_text.item;

-- name: contents_readable
-- The unreadable cells of each column of a release. One row.
SELECT
  CAST(SUM(CASE WHEN contents.unreadable_item THEN contents.rows ELSE 0 END) AS BIGINT) AS unreadable_item,
  CAST(SUM(CASE WHEN contents.unreadable_1 THEN contents.rows ELSE 0 END) AS BIGINT) AS unreadable_1
FROM contents;

-- name: meanings
-- The ways of writing a row that mean the same. The columns of days and numbers are there once for each. One row is one
-- way of writing a row, with the first that means the same.
SELECT
  contents.content,
  contents.item,
  contents.cell_1,
  contents.item_set,
  contents.low_1,
  contents.high_1,
  contents.written,
  MIN(contents.content) OVER (PARTITION BY contents.item_set, contents.low_1, contents.high_1) AS meaning
FROM contents;

-- name: released_records
-- A release in units, with the number of each row's meaning in any spelling. Rows that are deleted with their pseudonym
-- are left out. The columns of days and numbers are there once for each. One row is one other row of the release.
SELECT
  release_read.line,
  judged_pseudonyms.number AS pseudonym,
  meanings.meaning,
  meanings.item_set,
  meanings.low_1,
  meanings.high_1
FROM release_read
JOIN meanings ON release_read.item = meanings.item AND release_read.cell_1 = meanings.cell_1
LEFT JOIN judged_pseudonyms ON release_read.pseudonym = judged_pseudonyms.label
WHERE meanings.written OR judged_pseudonyms.number IS NOT NULL;

-- name: released_readable
-- The rows of a release, those without a pseudonym, and the pseudonyms. One row: the three counts.
SELECT
  COUNT(*) AS rows,
  COUNT(*) - COUNT(released_records.pseudonym) AS without_pseudonym,
  COUNT(DISTINCT released_records.pseudonym) AS pseudonyms
FROM released_records;

-- name: histories
-- The histories of the pseudonyms: two are the same if they have the same rows, each as often, in any order. One row is
-- one pseudonym; equal histories have one number, in the order of their first pseudonyms.
SELECT
  numbered.pseudonym,
  CAST(DENSE_RANK() OVER (ORDER BY numbered.first) - 1 AS INTEGER) AS history,
  LEN(numbered.contents) AS rows
FROM (
  SELECT
    history.pseudonym,
    history.contents,
    MIN(history.pseudonym) OVER (PARTITION BY history.contents) AS first
  FROM (
    SELECT released_records.pseudonym, LIST_SORT(LIST(released_records.meaning)) AS contents
    FROM released_records
    GROUP BY released_records.pseudonym
  ) AS history
) AS numbered;
