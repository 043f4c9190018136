-- The values of a column of a release as numbers from 0, the most frequent first. One row is one value, with its rows.
SELECT
  counted.value AS key,
  ROW_NUMBER() OVER (ORDER BY counted.n DESC, counted.value NULLS LAST) - 1 AS cell,
  counted.n
FROM (
  SELECT released.value, CAST(SUM(released.n) AS BIGINT) AS n FROM released GROUP BY released.value
) AS counted
