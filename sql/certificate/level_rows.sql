-- The rows of each class of one column at one level. One row is one class.
SELECT certified.level AS class, SUM(certified.n) AS n FROM certified GROUP BY certified.level
