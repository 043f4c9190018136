-- The classes of one node: rows, or persons where these are counted, and whether one of the models fails there. One row is
-- one class.
SELECT counted.class AS class, counted.size AS size, failing.class IS NOT NULL AS fails
FROM (SELECT part.class AS class, SUM(part.n) AS size FROM part GROUP BY part.class) AS counted
LEFT JOIN failing ON failing.class = counted.class
