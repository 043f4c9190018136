SELECT
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    COUNT(DISTINCT released."who") AS size
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
    released."code"
) AS class
GROUP BY
  class.size;
