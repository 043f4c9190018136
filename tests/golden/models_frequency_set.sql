SELECT
  keys_1.cell AS c1,
  keys_2.cell AS c2,
  keys_3.cell AS c3,
  keys_4.cell AS c4,
  keys_5.cell AS c5,
  COUNT(*) AS n
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
LEFT JOIN keys_1
  ON "dataset"."sex" IS NOT DISTINCT FROM keys_1.key
LEFT JOIN keys_2
  ON CASE
    WHEN "dataset"."age" IS NULL
    THEN NULL
    WHEN ABS(CAST("dataset"."age" AS DOUBLE)) <= 9000000000000000.0
    THEN CAST(FLOOR(CAST("dataset"."age" AS DOUBLE) / 5.0) AS BIGINT)
    ELSE -9007199254740992
  END IS NOT DISTINCT FROM keys_2.key
LEFT JOIN keys_3
  ON "dataset"."joined" IS NOT DISTINCT FROM keys_3.key
LEFT JOIN keys_4
  ON SUBSTRING("dataset"."code", 1, 2) IS NOT DISTINCT FROM keys_4.key
LEFT JOIN keys_5
  ON "dataset"."plan" IS NOT DISTINCT FROM keys_5.key
GROUP BY
  keys_1.cell,
  keys_2.cell,
  keys_3.cell,
  keys_4.cell,
  keys_5.cell;
