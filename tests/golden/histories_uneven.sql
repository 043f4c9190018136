SELECT
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 1 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 1 / 1) * 1 / 1 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 1 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 1 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_0",
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 10 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 10 / 1) * 1 / 10 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 10 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 10 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_1",
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 100 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 100 / 1) * 1 / 100 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 100 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 100 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_2",
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 1000 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 1000 / 1) * 1 / 1000 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 1000 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 1000 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_3",
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 10000 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 10000 / 1) * 1 / 10000 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 10000 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 10000 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_4",
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 100000 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 100000 / 1) * 1 / 100000 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 100000 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 100000 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_5",
  COALESCE(
    SUM(
      CASE
        WHEN ABS(CAST(microdata."u2" AS DOUBLE)) * 1000000 <= 1125899906842624
        AND (
          CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 1000000 / 1) * 1 / 1000000 AS DOUBLE) = microdata."u2"
          OR ABS(
            CAST(microdata."u2" AS DOUBLE) * 1000000 / 1 - ROUND(CAST(microdata."u2" AS DOUBLE) * 1000000 / 1)
          ) < 0.0000005
        )
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u2_6",
  COALESCE(
    SUM(
      CASE
        WHEN CAST(CAST(microdata."u3" * CAST(100 AS DECIMAL(20, 0)) AS BIGINT) AS INT128) * 1 % 50 = 0
        THEN 0
        ELSE 1
      END
    ),
    0
  ) AS "u3_7"
FROM microdata;
