SELECT
  released."sex" AS "v1",
  released."age" AS "v2",
  released."joined" AS "v3",
  released."code" AS "v4",
  released."plan" AS "v5",
  released."who" AS "person",
  COUNT(*) AS n
FROM (
  SELECT
    *
  FROM (
    SELECT
      *
    FROM READ_CSV(
      'stars.csv',
      auto_detect = FALSE,
      header = TRUE,
      "columns" = {'sex': 'VARCHAR', 'age': 'VARCHAR', 'joined': 'VARCHAR', 'code': 'VARCHAR', 'plan': 'VARCHAR', 'who': 'VARCHAR'},
      delim = ',',
      quote = '"',
      escape = '"',
      nullstr = '',
      allow_quoted_nulls = FALSE
    )
  ) AS released
  WHERE
    released."sex" IS DISTINCT FROM '*'
    OR released."age" IS DISTINCT FROM '*'
    OR released."joined" IS DISTINCT FROM '*'
    OR released."code" IS DISTINCT FROM '*'
    OR released."plan" IS DISTINCT FROM '*'
    OR released."who" IS DISTINCT FROM '*'
) AS released
GROUP BY
  released."sex",
  released."age",
  released."joined",
  released."code",
  released."plan",
  released."who";
