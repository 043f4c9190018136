SELECT
  class.class,
  CASE
    WHEN class.bound < class.size
    THEN CAST(FLOOR(class.bound) AS DECIMAL(38, 0))
    ELSE class.size
  END AS units
FROM (
  SELECT
    sized.class,
    CAST(sized.size AS DECIMAL(38, 0)) AS size,
    CAST(sized.size AS DOUBLE) * (
      (
        1 - figures.figure
      ) * CAST(20 AS DOUBLE) / CAST(20 - 3 AS DOUBLE) + 0.000000000001
    ) + 0.000001 AS bound
  FROM (
    SELECT
      class_value.class,
      SUM(class_value.n) AS size
    FROM class_value AS class_value
    GROUP BY
      class_value.class
  ) AS sized
  JOIN (
    SELECT
      class.class,
      CASE
        WHEN class.steps = 0
        THEN 0.0
        ELSE CAST(class.moved AS DOUBLE) / (
          CAST(class.steps AS DOUBLE) * CAST(class.whole AS DOUBLE) * CAST(class.size AS DOUBLE)
        )
      END AS figure
    FROM (
      WITH cumulated AS (
        SELECT
          table_value.value,
          ROW_NUMBER() OVER (ORDER BY table_value.value NULLS FIRST) - 1 AS place,
          CAST(table_value.n AS DECIMAL(38, 0)) AS n,
          SUM(CAST(table_value.n AS DECIMAL(38, 0))) OVER (
            ORDER BY table_value.value NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS up_to
        FROM table_value AS table_value
      ), ranks AS (
        SELECT
          cumulated.value,
          cumulated.place,
          cumulated.up_to,
          SUM(cumulated.up_to) OVER (
            ORDER BY cumulated.place NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) - cumulated.up_to AS sum_before
        FROM cumulated
      ), everything AS (
        SELECT
          CAST(COUNT(*) AS DECIMAL(38, 0)) AS ranks,
          MAX(ranks.up_to) AS n,
          SUM(ranks.up_to) AS sum_of_all
        FROM ranks
      ), steps AS (
        SELECT
          class_value.class,
          class_value.value,
          LEAD(class_value.value) OVER (PARTITION BY class_value.class ORDER BY class_value.value NULLS FIRST) AS next_value,
          CAST(SUM(class_value.n) OVER (
            PARTITION BY class_value.class
            ORDER BY class_value.value NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS DECIMAL(38, 0)) AS up_to,
          CAST(SUM(class_value.n) OVER (PARTITION BY class_value.class) AS DECIMAL(38, 0)) AS size
        FROM class_value AS class_value
      ), gaps AS (
        SELECT
          steps.class,
          steps.up_to,
          steps.size,
          start.place AS start,
          start.sum_before AS sum_before_start,
          COALESCE(until.place, everything.ranks) AS until,
          COALESCE(until.sum_before, everything.sum_of_all) AS sum_before_until,
          CAST((
            steps.up_to * everything.n + steps.size - 1 - (
              steps.up_to * everything.n + steps.size - 1
            ) % steps.size
          ) / steps.size AS DECIMAL(38, 0)) AS crossing
        FROM steps
        JOIN ranks AS start
          ON start.value = steps.value
        LEFT JOIN ranks AS until
          ON until.value = steps.next_value
        CROSS JOIN everything
      ), crossings AS (
        SELECT
          met.crossing,
          met.after_the_ranks,
          SUM(met.ranks) OVER (
            ORDER BY met.crossing NULLS FIRST, met.ranks NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS place,
          SUM(met.up_to) OVER (
            ORDER BY met.crossing NULLS FIRST, met.ranks NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS sum_before
        FROM (
          SELECT DISTINCT
            gaps.crossing,
            1 AS after_the_ranks,
            0 AS ranks,
            CAST(0 AS DECIMAL(38, 0)) AS up_to
          FROM gaps
          UNION ALL
          SELECT
            ranks.up_to,
            0,
            1,
            ranks.up_to
          FROM ranks
        ) AS met
      ), apart AS (
        SELECT
          gaps.class,
          gaps.size,
          gaps.up_to,
          gaps.start,
          gaps.until,
          gaps.sum_before_start,
          gaps.sum_before_until,
          CASE
            WHEN crossings.place < gaps.start
            THEN gaps.start
            WHEN crossings.place > gaps.until
            THEN gaps.until
            ELSE crossings.place
          END AS place,
          CASE
            WHEN crossings.place < gaps.start
            THEN gaps.sum_before_start
            WHEN crossings.place > gaps.until
            THEN gaps.sum_before_until
            ELSE crossings.sum_before
          END AS sum_before
        FROM gaps
        JOIN crossings
          ON crossings.crossing = gaps.crossing AND crossings.after_the_ranks = 1
      )
      SELECT
        apart.class,
        apart.size,
        everything.n AS whole,
        everything.ranks - 1 AS steps,
        MIN(apart.sum_before_start) * apart.size + SUM(
          everything.n * apart.up_to * (
            2 * apart.place - apart.start - apart.until
          ) + apart.size * (
            apart.sum_before_start + apart.sum_before_until - 2 * apart.sum_before
          )
        ) AS moved
      FROM apart
      CROSS JOIN everything
      GROUP BY
        apart.class,
        apart.size,
        everything.n,
        everything.ranks
    ) AS class
  ) AS figures
    ON figures.class = sized.class
) AS class;
