SELECT
  checked.node,
  checked.part,
  checked.size,
  checked.other,
  checked.n
FROM (
  WITH owned AS (
    SELECT
      CAST(rows_of_node.q1_l0 AS BIGINT) AS class,
      rows_of_node.person AS owner,
      1 AS n
    FROM rows_of_node
  ), values_of_5 AS (
    SELECT
      part.class,
      part.value,
      COUNT(DISTINCT part.person) AS n
    FROM (
      SELECT
        CAST(rows_of_node.q1_l0 AS BIGINT) AS class,
        rows_of_node.c5 AS value,
        rows_of_node.person AS person
      FROM rows_of_node
    ) AS part
    GROUP BY
      part.class,
      part.value
  ), class_size AS (
    SELECT
      part.class,
      COUNT(DISTINCT part.person) AS size
    FROM (
      SELECT
        CAST(rows_of_node.q1_l0 AS BIGINT) AS class,
        rows_of_node.person AS person
      FROM rows_of_node
    ) AS part
    GROUP BY
      part.class
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
  UNION ALL
  SELECT
    0 AS node,
    1 AS part,
    least.alone AS size,
    least.fitting AS other,
    SUM(least.persons) AS n
  FROM (
    SELECT
      MIN(class_size.size) AS alone,
      MIN(CASE WHEN failing.class IS NULL THEN class_size.size ELSE 0 END) AS fitting,
      1 AS persons
    FROM owned
    JOIN class_size
      ON class_size.class = owned.class
    LEFT JOIN failing
      ON failing.class = owned.class
    WHERE
      NOT owned.owner IS NULL
    GROUP BY
      owned.owner
    UNION ALL
    SELECT
      class_size.size AS alone,
      CASE WHEN failing.class IS NULL THEN class_size.size ELSE 0 END AS fitting,
      owned.n AS persons
    FROM owned
    JOIN class_size
      ON class_size.class = owned.class
    LEFT JOIN failing
      ON failing.class = owned.class
    WHERE
      owned.owner IS NULL
  ) AS least
  GROUP BY
    least.alone,
    least.fitting
) AS checked;
