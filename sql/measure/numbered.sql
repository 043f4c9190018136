-- The values of a column as numbers: 0 up in their order, NULL last. One row is one value, with its rows.
SELECT
  counted.value AS key,
  ROW_NUMBER() OVER (ORDER BY counted.value NULLS LAST) - 1 AS cell,
  counted.n
FROM counted
