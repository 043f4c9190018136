SELECT
  dataset."id" AS "a1",
  keys_13.cell AS "a2",
  dataset."code" AS "a3",
  keys_14.cell AS "c14",
  dataset."plan" AS "v4",
  dataset."age" AS "v5",
  dataset."age" AS "target",
  persons.code AS "person"
FROM (
  SELECT
    *
  FROM "shop"."main"."persons" AS dataset
  WHERE
    "id" < 100
) AS dataset
LEFT JOIN keys_13
  ON "dataset"."sex" IS NOT DISTINCT FROM keys_13.key
LEFT JOIN keys_14
  ON "dataset"."plan" IS NOT DISTINCT FROM keys_14.key
LEFT JOIN persons AS persons
  ON "dataset"."joined" = persons.key
ORDER BY
  dataset."id",
  keys_13.cell,
  dataset."code",
  keys_14.cell,
  dataset."plan",
  dataset."age",
  dataset."age",
  persons.key;
