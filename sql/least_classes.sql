-- The histogram of the size of each person's least class: `alone`, and `fitting`, where a class that fails a model
-- counts as of size 0. One row is one pair of sizes: the number of persons with it.
SELECT 0 AS node, 1 AS part, least.alone AS size, least.fitting AS other, SUM(least.persons) AS n
FROM (
  SELECT
    MIN(class_size.size) AS alone,
    MIN(CASE WHEN failing.class IS NULL THEN class_size.size ELSE 0 END) AS fitting,
    1 AS persons
  FROM owned
  JOIN class_size ON class_size.class = owned.class
  LEFT JOIN failing ON failing.class = owned.class
  WHERE owned.owner IS NOT NULL
  GROUP BY owned.owner
  UNION ALL
  SELECT
    class_size.size AS alone,
    CASE WHEN failing.class IS NULL THEN class_size.size ELSE 0 END AS fitting,
    owned.n AS persons
  FROM owned
  JOIN class_size ON class_size.class = owned.class
  LEFT JOIN failing ON failing.class = owned.class
  WHERE owned.owner IS NULL
) AS least
GROUP BY least.alone, least.fitting
