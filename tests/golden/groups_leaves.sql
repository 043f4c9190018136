SELECT
  keys.cell,
  CAST(keys.key AS TEXT) AS label,
  keys."q12_l0"
FROM keys_12 AS keys
ORDER BY
  keys.cell;
