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
            CAST(rows_of_node.q1_l0 AS BIGINT)
          ) * 7 + rows_of_node.q2_l1
        ) * 90 + rows_of_node.q3_l1 AS class,
        rows_of_node.c5 AS value,
        rows_of_node.n AS n
      FROM rows_of_node
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
