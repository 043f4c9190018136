SELECT
  listed.key,
  CAST(ROW_NUMBER() OVER (ORDER BY listed.key) AS INT) AS good,
  CAST(DENSE_RANK() OVER (ORDER BY listed.key) AS INT) AS item,
  CAST(listed.key AS TEXT) AS label
FROM (
  SELECT DISTINCT
    microdata.item AS key
  FROM microdata
) AS listed;
