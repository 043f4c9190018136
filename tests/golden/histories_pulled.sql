SELECT
  "dataset"."who" AS customer,
  CAST(dataset."day" AS DATE) AS u1,
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
) AS dataset;
