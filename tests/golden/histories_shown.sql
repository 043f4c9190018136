SELECT
  slots.cluster,
  slots.slot,
  slots.n,
  CASE
    WHEN slots."low_1" IS NULL
    THEN '*'
    WHEN slots."low_1" = slots."high_1"
    THEN CAST(CAST('1970-01-01' AS DATE) + slots."low_1" AS TEXT)
    ELSE '[' || CAST(CAST('1970-01-01' AS DATE) + slots."low_1" AS TEXT) || ', ' || CAST(CAST('1970-01-01' AS DATE) + slots."high_1" AS TEXT) || ']'
  END AS "v1",
  CASE
    WHEN LENGTH(slots.items) = 1
    THEN LIST_SELECT(names.labels, slots.items)[1]
    ELSE '{' || ARRAY_TO_STRING(LIST_SELECT(names.labels, slots.items), ', ') || '}'
  END AS "v2",
  CASE
    WHEN slots."low_2" IS NULL
    THEN '*'
    WHEN slots."low_2" = slots."high_2"
    THEN CAST(slots."low_2" AS TEXT)
    ELSE '[' || CAST(slots."low_2" AS TEXT) || ', ' || CAST(slots."high_2" AS TEXT) || ']'
  END AS "v3",
  CASE
    WHEN slots."low_3" IS NULL
    THEN '*'
    WHEN slots."low_3" = slots."high_3"
    THEN CAST(CAST(slots."low_3" AS DECIMAL(19, 0)) * CAST(0.5 AS DECIMAL(1, 1)) AS TEXT)
    ELSE '[' || CAST(CAST(slots."low_3" AS DECIMAL(19, 0)) * CAST(0.5 AS DECIMAL(1, 1)) AS TEXT) || ', ' || CAST(CAST(slots."high_3" AS DECIMAL(19, 0)) * CAST(0.5 AS DECIMAL(1, 1)) AS TEXT) || ']'
  END AS "v4"
FROM history_slots AS slots
CROSS JOIN (
  SELECT
    ARRAY_AGG(items.label ORDER BY items.item) AS labels
  FROM history_items AS items
) AS names;
