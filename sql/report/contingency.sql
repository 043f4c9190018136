-- The contingency of two columns of labels. One row: phi squared (the chi-squared statistic / rows), the rows, and the
-- labels of each column.
SELECT
  SUM(CAST(pair.n AS DOUBLE) * pair.n / (pair.of_one * pair.of_other)) - 1.0 AS phi_squared,
  SUM(pair.n) AS n,
  COUNT(DISTINCT pair.one) AS ones,
  COUNT(DISTINCT pair.other) AS others
FROM (
  SELECT
    joint.one,
    joint.other,
    joint.n,
    CAST(SUM(joint.n) OVER (PARTITION BY joint.one) AS DOUBLE) AS of_one,
    CAST(SUM(joint.n) OVER (PARTITION BY joint.other) AS DOUBLE) AS of_other
  FROM (
    SELECT grouped.one AS one, grouped.other AS other, SUM(grouped.n) AS n FROM grouped GROUP BY grouped.one, grouped.other
  ) AS joint
) AS pair
