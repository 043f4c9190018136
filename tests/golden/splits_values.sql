SELECT
  keys.cell,
  CAST(keys.key AS TEXT) AS label,
  keys."q13_l0"
FROM keys_13 AS keys
ORDER BY
  keys.cell;
