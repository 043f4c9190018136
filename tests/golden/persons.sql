SELECT
  counted.key,
  ROW_NUMBER() OVER () AS code,
  counted.n
FROM (
  SELECT
    "dataset"."joined" AS key,
    COUNT(*) AS n
  FROM (
    SELECT
      *
    FROM "shop"."main"."persons" AS dataset
    WHERE
      "id" < 100
  ) AS dataset
  GROUP BY
    "dataset"."joined"
) AS counted;
