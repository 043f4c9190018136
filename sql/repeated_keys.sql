-- The number of values that one attribute's keys list more than once. One row is one attribute. The statements of all
-- attributes are joined by UNION ALL, each row marked with its attribute.
SELECT 0 AS number, COUNT(*) AS repeated
FROM (SELECT keys.key FROM keys GROUP BY keys.key HAVING COUNT(*) > 1) AS listed
