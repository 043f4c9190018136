SELECT
  part.cluster,
  part.slot,
  part.n,
  part.items,
  CASE WHEN part."error_1" > part.n THEN NULL ELSE part."low_1" END AS "low_1",
  CASE WHEN part."error_1" > part.n THEN NULL ELSE part."high_1" END AS "high_1",
  LEAST(part."error_1", part.n) AS "error_1",
  CASE WHEN part."error_2" > part.n THEN NULL ELSE part."low_2" END AS "low_2",
  CASE WHEN part."error_2" > part.n THEN NULL ELSE part."high_2" END AS "high_2",
  LEAST(part."error_2", part.n) AS "error_2",
  CASE WHEN part."error_3" > part.n THEN NULL ELSE part."low_3" END AS "low_3",
  CASE WHEN part."error_3" > part.n THEN NULL ELSE part."high_3" END AS "high_3",
  LEAST(part."error_3", part.n) AS "error_3"
FROM (
  SELECT
    one.cluster,
    one.slot,
    one.n,
    one.items,
    one."low_1" AS "low_1",
    one."high_1" AS "high_1",
    CASE
      WHEN one."low_1" = one."high_1"
      THEN 0.0
      ELSE CAST(2 * one."squares_1" - 2 * (
        CAST(one."low_1" AS INT128) + one."high_1"
      ) * one."total_1" + one.n * (
        CAST(one."low_1" AS INT128) * one."low_1" + CAST(one."high_1" AS INT128) * one."high_1" + one."high_1" - one."low_1"
      ) AS DOUBLE) / (
        CAST(2 * (
          CAST(one."high_1" AS BIGINT) - one."low_1" + 1
        ) AS DOUBLE) * CAST($spread_1 AS DOUBLE)
      )
    END AS "error_1",
    one."low_2" AS "low_2",
    one."high_2" AS "high_2",
    CASE
      WHEN one."low_2" = one."high_2"
      THEN 0.0
      ELSE CAST(2 * one."squares_2" - 2 * (
        CAST(one."low_2" AS INT128) + one."high_2"
      ) * one."total_2" + one.n * (
        CAST(one."low_2" AS INT128) * one."low_2" + CAST(one."high_2" AS INT128) * one."high_2" + one."high_2" - one."low_2"
      ) AS DOUBLE) / (
        CAST(2 * (
          CAST(one."high_2" AS BIGINT) - one."low_2" + 1
        ) AS DOUBLE) * CAST($spread_2 AS DOUBLE)
      )
    END AS "error_2",
    one."low_3" AS "low_3",
    one."high_3" AS "high_3",
    CASE
      WHEN one."low_3" = one."high_3"
      THEN 0.0
      ELSE CAST(2 * one."squares_3" - 2 * (
        CAST(one."low_3" AS INT128) + one."high_3"
      ) * one."total_3" + one.n * (
        CAST(one."low_3" AS INT128) * one."low_3" + CAST(one."high_3" AS INT128) * one."high_3" + one."high_3" - one."low_3"
      ) AS DOUBLE) / (
        CAST(2 * (
          CAST(one."high_3" AS BIGINT) - one."low_3" + 1
        ) AS DOUBLE) * CAST($spread_3 AS DOUBLE)
      )
    END AS "error_3"
  FROM (
    SELECT
      placed.cluster,
      placed.slot,
      CAST(COUNT(*) AS INT) AS n,
      LIST_SORT(LIST_DISTINCT(ARRAY_AGG(placed.item))) AS items,
      MIN(placed."u1") AS "low_1",
      MAX(placed."u1") AS "high_1",
      SUM(placed."u1") AS "total_1",
      SUM(CAST(placed."u1" AS INT128) * placed."u1") AS "squares_1",
      MIN(placed."u2") AS "low_2",
      MAX(placed."u2") AS "high_2",
      SUM(placed."u2") AS "total_2",
      SUM(CAST(placed."u2" AS INT128) * placed."u2") AS "squares_2",
      MIN(placed."u3") AS "low_3",
      MAX(placed."u3") AS "high_3",
      SUM(placed."u3") AS "total_3",
      SUM(CAST(placed."u3" AS INT128) * placed."u3") AS "squares_3"
    FROM history_placed AS placed
    GROUP BY
      placed.cluster,
      placed.slot
  ) AS one
) AS part;
