-- The number of combinations of the columns that a dataset query joins on with several rows in the joined table. One
-- row.
SELECT COALESCE(SUM(CASE WHEN counted.n > 1 THEN 1 ELSE 0 END), 0) AS repeated
FROM (SELECT COUNT(*) AS n FROM dataset WHERE dataset.qi IS NOT NULL GROUP BY dataset.qi) AS counted
