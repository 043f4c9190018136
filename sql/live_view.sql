-- A view that follows a table: the rows whose class has k rows now, generalised as a release was. One row is one row of the
-- table. Values that the list of a column does not have give no row.
SELECT counted.value
FROM (
  SELECT labelled.value, COUNT(*) OVER (PARTITION BY labelled.value) AS n
  FROM (
    SELECT CASE WHEN dataset.code IS NULL THEN 'unknown' ELSE labels.label END AS value, dataset.kept AS kept
    FROM dataset
    LEFT JOIN labels ON dataset.code = labels.key
    WHERE dataset.code IS NULL OR labels.key IS NOT NULL
  ) AS labelled
) AS counted
WHERE counted.n >= 2
