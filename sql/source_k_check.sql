-- The k-check of a node that the source itself runs, without a stored frequency set (the PAK paper's query1 and
-- query2). One row is one class size, with the number of classes of that size.
SELECT 0 AS node, class.size, COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS size
  FROM dataset
  LEFT JOIN keys ON dataset.code IS NOT DISTINCT FROM keys.key
  GROUP BY keys.level
) AS class
GROUP BY class.size
