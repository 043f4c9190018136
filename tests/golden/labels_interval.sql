SELECT
  keys.key,
  shown.label
FROM keys_2 AS keys
JOIN (
  SELECT
    UNNEST($classes) AS class,
    CAST(UNNEST($labels) AS TEXT) AS label
) AS shown
  ON keys."q2_l1" = shown.class;
