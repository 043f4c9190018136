SELECT
  checked.node,
  checked.part,
  checked.size,
  checked.other,
  checked.n
FROM (
  WITH values_of_5 AS (
    SELECT
      part.class,
      part.value,
      SUM(part.n) AS n
    FROM (
      SELECT
        (
          (
            CAST(keys_1.q1_l0 AS BIGINT)
          ) * 7 + keys_2.q2_l1
        ) * 90 + keys_3.q3_l1 AS class,
        keys_5.cell AS value,
        1 AS n
      FROM (
        SELECT
          *
        FROM "shop"."main"."persons" AS dataset
        WHERE
          "id" < 100
      ) AS dataset
      LEFT JOIN keys_1
        ON "dataset"."sex" IS NOT DISTINCT FROM keys_1.key
      LEFT JOIN keys_2
        ON CASE
          WHEN "dataset"."age" IS NULL
          THEN NULL
          WHEN ABS(CAST("dataset"."age" AS DOUBLE)) <= 9000000000000000.0
          THEN CAST(FLOOR(CAST("dataset"."age" AS DOUBLE) / 5.0) AS BIGINT)
          ELSE -9007199254740992
        END IS NOT DISTINCT FROM keys_2.key
      LEFT JOIN keys_3
        ON "dataset"."joined" IS NOT DISTINCT FROM keys_3.key
      LEFT JOIN keys_5
        ON "dataset"."plan" IS NOT DISTINCT FROM keys_5.key
    ) AS part
    GROUP BY
      part.class,
      part.value
  ), class_size AS (
    SELECT
      class_value.class,
      SUM(class_value.n) AS size
    FROM values_of_5 AS class_value
    GROUP BY
      class_value.class
  ), failing AS (
    SELECT
      class.class
    FROM (
      SELECT
        class_value.class,
        COUNT(*) AS figure
      FROM values_of_5 AS class_value
      GROUP BY
        class_value.class
    ) AS class
    WHERE
      class.figure < 2
  )
  SELECT
    0 AS node,
    0 AS part,
    checked.size,
    checked.fails AS other,
    COUNT(*) AS n
  FROM (
    SELECT
      class_size.size,
      CASE WHEN failing.class IS NULL THEN 0 ELSE 1 END AS fails
    FROM class_size
    LEFT JOIN failing
      ON failing.class = class_size.class
  ) AS checked
  GROUP BY
    checked.size,
    checked.fails
) AS checked;
