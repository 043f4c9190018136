SELECT
  goods.item,
  CASE
    WHEN REGEXP_MATCHES(goods.label, '[,;{}"]|^[*]?$|^[\s\p{Z}]|[\s\p{Z}]$')
    THEN '"' || REPLACE(goods.label, '"', '""') || '"'
    ELSE goods.label
  END AS label,
  COUNT(*) AS goods
FROM history_goods AS goods
GROUP BY
  goods.item,
  goods.label;
