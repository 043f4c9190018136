SELECT
  figures.node,
  figures.attribute,
  figures.class,
  figures.n
FROM (
  WITH values_of_5 AS (
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
  ), suppressed AS (
    SELECT
      class_size.class
    FROM class_size
    LEFT JOIN failing
      ON failing.class = class_size.class
    WHERE
      class_size.size < 60 OR NOT failing.class IS NULL
  ), kept AS (
    SELECT
      part.n,
      part.q0,
      part.class
    FROM (
      SELECT
        CAST(frequency_set.q1_l0 AS BIGINT) AS class,
        frequency_set.rows AS n,
        frequency_set.q1_l0 AS q0
      FROM frequency_set_wide AS frequency_set
    ) AS part
    JOIN suppressed AS failing
      ON failing.class = part.class
  )
  SELECT
    0 AS node,
    0 AS attribute,
    part.q0 AS class,
    SUM(part.n) AS n
  FROM kept AS part
  GROUP BY
    part.q0
) AS figures;
