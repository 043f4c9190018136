-- The histogram of the class sizes of a decided release, before it is written. One row is one class size, with the
-- number of such classes.
SELECT class.size, COUNT(*) AS classes
FROM (
  SELECT SUM(decided.n) AS size, COUNT(DISTINCT decided.person) AS persons
  FROM decided
  WHERE NOT decided.suppressed
  GROUP BY decided.value
) AS class
GROUP BY class.size
