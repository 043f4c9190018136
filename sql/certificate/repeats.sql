-- The original values of a column by how many rows have them. One row is one number of rows.
SELECT counted.n AS n, COUNT(*) AS different FROM (SELECT COUNT(*) AS n FROM dataset GROUP BY dataset.qi) AS counted GROUP BY counted.n
