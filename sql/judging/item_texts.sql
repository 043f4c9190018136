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
LEFT JOIN (SELECT DISTINCT goods.class FROM goods) AS known ON cell.item = known.class
