SELECT
  COUNT(*) AS n,
  COALESCE(
    SUM(
      HASH(
        "dataset"."id",
        "dataset"."sex",
        "dataset"."age",
        "dataset"."joined",
        "dataset"."code",
        "dataset"."plan"
      )
    ),
    0
  ) AS hash_sum
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset;
