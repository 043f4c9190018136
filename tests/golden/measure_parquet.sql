SELECT
  class.size,
  COUNT(*) AS classes
FROM (
  SELECT
    COUNT(*) AS size
  FROM (
    SELECT
      *
    FROM READ_PARQUET('out.parquet')
  ) AS released
  GROUP BY
    released."sex",
    released."age",
    released."joined",
    released."code"
) AS class
GROUP BY
  class.size;
