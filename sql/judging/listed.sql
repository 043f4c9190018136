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
LEFT JOIN (SELECT DISTINCT goods.class FROM goods) AS trimmed ON TRIM(part.label) = trimmed.class
