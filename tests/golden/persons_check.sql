SELECT
  checked.node,
  checked.part,
  checked.size,
  checked.other,
  checked.n
FROM (
  WITH owned AS (
    SELECT
      CAST(frequency_set.q1_l0 AS BIGINT) AS class,
      frequency_set.owner AS owner,
      frequency_set.n AS n
    FROM (
      SELECT
        CAST(NULL AS BIGINT) AS owner,
        frequency_set.n,
        frequency_set.q1_l0
      FROM frequency_set_wide AS frequency_set
      UNION ALL
      SELECT
        CAST(NULL AS BIGINT) AS owner,
        -1 AS n,
        CAST(part.w0 & 3 AS UTINYINT) AS q1_l0
      FROM combinations_worded AS part
      UNION ALL
      SELECT
        part.person AS owner,
        1 AS n,
        CAST(part.w0 & 3 AS UTINYINT) AS q1_l0
      FROM combinations_worded AS part
    ) AS frequency_set
  ), values_of_5 AS (
    SELECT
      part.class,
      part.value,
      SUM(part.n) AS n
    FROM (
      SELECT
        CAST(frequency_set.q1_l0 AS BIGINT) AS class,
        frequency_set.c5 AS value,
        frequency_set.n AS n
      FROM (
        SELECT
          frequency_set.n,
          frequency_set.q1_l0,
          frequency_set.c5
        FROM frequency_set_wide AS frequency_set
        UNION ALL
        SELECT
          part.n,
          CAST(part.w0 & 3 AS UTINYINT) AS q1_l0,
          CAST((
            part.w0 >> 2
          ) & 3 AS UTINYINT) AS c5
        FROM (
          SELECT
            -COUNT(*) AS n,
            (
              repeated.w0 & 15
            ) AS w0
          FROM combinations_repeated AS repeated
          WHERE
            (
              repeated.q1_l0_shared & repeated.c5_shared
            ) <> 0
          GROUP BY
            (
              repeated.w0 & 15
            )
        ) AS part
        UNION ALL
        SELECT
          part.n,
          CAST(part.w0 & 3 AS UTINYINT) AS q1_l0,
          CAST((
            part.w0 >> 2
          ) & 3 AS UTINYINT) AS c5
        FROM (
          SELECT
            COUNT(DISTINCT worded.person) - COUNT(*) AS n,
            (
              worded.w0 & 15
            ) AS w0
          FROM combinations_worded AS worded
          WHERE
            worded.combinations > 16
          GROUP BY
            (
              worded.w0 & 15
            )
        ) AS part
      ) AS frequency_set
    ) AS part
    GROUP BY
      part.class,
      part.value
  ), class_size AS (
    SELECT
      part.class,
      SUM(part.n) AS size
    FROM (
      SELECT
        CAST(frequency_set.q1_l0 AS BIGINT) AS class,
        frequency_set.n AS n
      FROM (
        SELECT
          frequency_set.n,
          frequency_set.q1_l0
        FROM frequency_set_wide AS frequency_set
        UNION ALL
        SELECT
          part.n,
          CAST(part.w0 & 3 AS UTINYINT) AS q1_l0
        FROM (
          SELECT
            -COUNT(*) AS n,
            (
              repeated.w0 & 3
            ) AS w0
          FROM combinations_repeated AS repeated
          WHERE
            (
              repeated.q1_l0_shared
            ) <> 0
          GROUP BY
            (
              repeated.w0 & 3
            )
        ) AS part
        UNION ALL
        SELECT
          part.n,
          CAST(part.w0 & 3 AS UTINYINT) AS q1_l0
        FROM (
          SELECT
            COUNT(DISTINCT worded.person) - COUNT(*) AS n,
            (
              worded.w0 & 3
            ) AS w0
          FROM combinations_worded AS worded
          WHERE
            worded.combinations > 16
          GROUP BY
            (
              worded.w0 & 3
            )
        ) AS part
      ) AS frequency_set
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
