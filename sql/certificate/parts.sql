-- The combinations of one node, each with the number of its class. One row is one combination.
SELECT DENSE_RANK() OVER (ORDER BY certified.level) AS class, certified.level AS level, certified.kept AS kept, certified.n AS n
FROM certified
