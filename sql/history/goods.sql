-- The goods that were bought. One row is one good, by number in the order of the goods, with the item that is released
-- for it: itself, or its category.
SELECT
  listed.key,
  CAST(ROW_NUMBER() OVER (ORDER BY listed.key) AS INTEGER) AS good,
  CAST(DENSE_RANK() OVER (ORDER BY labels.label) AS INTEGER) AS item,
  CAST(labels.label AS VARCHAR) AS label
FROM (SELECT DISTINCT microdata.item AS key FROM microdata) AS listed
JOIN labels ON listed.key = labels.key
