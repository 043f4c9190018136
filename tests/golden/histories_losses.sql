SELECT
  COALESCE(SUM(slots.n), 0) AS rows,
  COALESCE(SUM(CAST(slots."error_1" AS DECIMAL(38, 12))), 0) AS "error_1",
  COALESCE(SUM(CASE WHEN slots."low_1" = slots."high_1" THEN slots.n ELSE 0 END), 0) AS "kept_1",
  COALESCE(SUM(CASE WHEN slots."low_1" IS NULL THEN slots.n ELSE 0 END), 0) AS "deleted_1",
  COALESCE(SUM(CAST(slots."error_2" AS DECIMAL(38, 12))), 0) AS "error_2",
  COALESCE(SUM(CASE WHEN slots."low_2" = slots."high_2" THEN slots.n ELSE 0 END), 0) AS "kept_2",
  COALESCE(SUM(CASE WHEN slots."low_2" IS NULL THEN slots.n ELSE 0 END), 0) AS "deleted_2",
  COALESCE(SUM(CAST(slots."error_3" AS DECIMAL(38, 12))), 0) AS "error_3",
  COALESCE(SUM(CASE WHEN slots."low_3" = slots."high_3" THEN slots.n ELSE 0 END), 0) AS "kept_3",
  COALESCE(SUM(CASE WHEN slots."low_3" IS NULL THEN slots.n ELSE 0 END), 0) AS "deleted_3",
  COALESCE(SUM(CAST(slots.n * (
    1.0 - 1.0 / LENGTH(slots.items)
  ) AS DECIMAL(38, 12))), 0) AS items_error,
  COALESCE(SUM(CASE WHEN LENGTH(slots.items) = 1 THEN slots.n ELSE 0 END), 0) AS items_kept,
  COALESCE(
    SUM(
      CAST(slots.n * (
        1.0 - 1.0 / LIST_SUM(LIST_SELECT(sizes.goods, slots.items))
      ) AS DECIMAL(38, 12))
    ),
    0
  ) AS goods_error,
  COALESCE(
    SUM(
      CASE
        WHEN LIST_SUM(LIST_SELECT(sizes.goods, slots.items)) = 1
        THEN slots.n
        ELSE 0
      END
    ),
    0
  ) AS goods_kept
FROM history_slots AS slots
CROSS JOIN (
  SELECT
    ARRAY_AGG(items.goods ORDER BY items.item) AS goods
  FROM history_items AS items
) AS sizes;
