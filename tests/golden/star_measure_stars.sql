SELECT
  COUNT(*) AS stars
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
  released."sex" = '*'
  AND released."age" = '*'
  AND released."joined" = '*'
  AND released."code" = '*'
  AND released."plan" = '*'
  AND released."who" = '*';
