SELECT
  pulled.customer,
  CAST(pulled.bought AS DATE) AS u1,
  pulled.item,
  pulled."u2" AS "u2",
  pulled."u3" AS "u3"
FROM (
  SELECT
    "dataset"."who" AS customer,
    dataset."day" AS bought,
    "dataset"."good" AS item,
    dataset."price" AS "u2",
    dataset."weight" AS "u3"
  FROM (
    SELECT
      *
    FROM (
      SELECT
        sex AS who,
        joined AS day,
        code AS good,
        CAST(id AS DOUBLE) / 4 AS price,
        CAST(age AS DECIMAL(9, 2)) AS weight
      FROM (
        SELECT
          *
        FROM "shop"."main"."persons" AS dataset
        WHERE
          "id" < 100
      ) AS asked
    ) AS dataset
  ) AS dataset
) AS pulled;
