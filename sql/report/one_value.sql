-- The classes in which a column has one value alone. One row: their number, and the rows in them.
SELECT COUNT(*) AS classes, COALESCE(SUM(class.n), 0) AS n
FROM (
  SELECT COUNT(DISTINCT coded.value) AS different, CAST(SUM(coded.n) AS BIGINT) AS n FROM coded GROUP BY coded.cell
) AS class
WHERE class.different = 1
