SELECT
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    COUNT(*) AS size
  FROM (
    SELECT
      *
    FROM READ_CSV(
      'out.csv',
      auto_detect = FALSE,
      header = TRUE,
      "columns" = {'sex': 'VARCHAR', 'age': 'VARCHAR', 'joined': 'VARCHAR', 'code': 'VARCHAR', 'plan': 'VARCHAR'},
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
