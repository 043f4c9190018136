-- The sizes of the classes of one node: the plain count that a certificate is checked by. One row is one size, with the
-- number of classes that have it.
SELECT class.size AS size, COUNT(*) AS classes
FROM (SELECT SUM(certified.n) AS size FROM certified GROUP BY certified.level) AS class
GROUP BY class.size
