-- The combinations that one round releases: the classes of its node that are large enough among the remaining ones. One
-- row is one combination of cells, with its class (named by the least of its combinations) and its rows.
SELECT remaining.combo, class.class, SUM(remaining.n) AS n
FROM local_remaining AS remaining
JOIN (
  SELECT
    MIN(remaining.combo) AS class,
    remaining.level,
    SUM(remaining.n) AS size,
    COUNT(DISTINCT remaining.person) AS persons
  FROM local_remaining AS remaining
  GROUP BY remaining.level
) AS class ON remaining.level = class.level
WHERE class.size >= 2
GROUP BY remaining.combo, class.class
