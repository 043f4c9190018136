SELECT
  keys.key,
  shown.label
FROM keys_3 AS keys
JOIN (
  SELECT
    UNNEST($classes) AS class,
    CAST(UNNEST($labels) AS TEXT) AS label
) AS shown
  ON keys."q3_g1" = shown.class;
