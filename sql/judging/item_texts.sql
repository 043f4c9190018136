-- The list in each different cell of items, still as it is quoted: `{a;b}` is a set, anything else one item. One row is
-- one cell text; `elements` is NULL where its brackets or quotes do not close.
SELECT
  cell.item,
  CASE
    WHEN known.class IS NOT NULL THEN [cell.item]
    WHEN STARTS_WITH(cell.item, '{') <> ENDS_WITH(cell.item, '}') THEN NULL
    WHEN NOT STARTS_WITH(cell.item, '{') THEN [cell.item]
    WHEN NOT CONTAINS(cell.item, '"') THEN STRING_SPLIT(cell.inside, ';')
    WHEN LENGTH(ARRAY_TO_STRING(REGEXP_EXTRACT_ALL(cell.inside || ';', '("(?:[^"]|"")*"|[^;"]*);'), ''))
      = LENGTH(cell.inside) + 1
      THEN REGEXP_EXTRACT_ALL(cell.inside || ';', '("(?:[^"]|"")*"|[^;"]*);', 1)
  END AS elements
FROM (
  SELECT DISTINCT release_read.item, SUBSTRING(release_read.item, 2, LENGTH(release_read.item) - 2) AS inside
  FROM release_read
  WHERE release_read.item NOT IN ('', '*')
) AS cell
LEFT JOIN (SELECT DISTINCT goods.class FROM goods) AS known ON cell.item = known.class
