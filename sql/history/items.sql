-- The items released for goods. One row is one item, with its goods and its text: in double quotes where it could be
-- read as something else.
SELECT
  goods.item,
  CASE
    WHEN REGEXP_MATCHES(goods.label, '[,;{}"]|^[*]?$|^[\s\p{Z}]|[\s\p{Z}]$') THEN '"' || REPLACE(goods.label, '"', '""') || '"'
    ELSE goods.label
  END AS label,
  COUNT(*) AS goods
FROM history_goods AS goods
GROUP BY goods.item, goods.label
