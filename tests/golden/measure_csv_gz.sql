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
      'out.csv.gz',
      header = TRUE,
      all_varchar = TRUE,
      delim = ',',
      quote = '"',
      escape = '"',
      nullstr = '',
      allow_quoted_nulls = FALSE,
      compression = 'gzip'
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
