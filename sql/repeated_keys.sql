-- Which listed values are one value once read as the column's type? One row: how many values are listed more than once.
SELECT COUNT(*) AS repeated
FROM (SELECT keys.key FROM keys GROUP BY keys.key HAVING COUNT(*) > 1) AS twice
