-- The k-check of a node: the histogram of its class sizes, which answers every k. One row is one class size, with the
-- number of classes of that size. `frequency_set` is the stored one or a smaller, finer roll-up of it.
SELECT 0 AS node, class.size, COUNT(*) AS classes
FROM (
  SELECT SUM(frequency_set.n) AS size
  FROM frequency_set
  GROUP BY frequency_set.qi
) AS class
GROUP BY class.size
