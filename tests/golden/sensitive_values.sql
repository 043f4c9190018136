SELECT
  "dataset"."plan" AS key,
  COUNT(DISTINCT "dataset"."joined") AS n
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
GROUP BY
  "dataset"."plan";
