SELECT
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    SUM(CAST(released."count" AS BIGINT)) AS size
  FROM (
    SELECT
      *
    FROM READ_CSV(
      'table.csv',
      auto_detect = FALSE,
      header = TRUE,
      "columns" = {'sex': 'VARCHAR', 'age': 'VARCHAR', 'joined': 'VARCHAR', 'code': 'VARCHAR', 'count': 'VARCHAR'},
      delim = ',',
      quote = '"',
      escape = '"',
      nullstr = '',
      allow_quoted_nulls = FALSE
    )
  ) AS released
  GROUP BY
    released."sex",
    released."age",
    released."joined",
    released."code"
) AS class
GROUP BY
  class.size;
