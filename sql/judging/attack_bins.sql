-- The values of a column of days or numbers, in their order, in at most $bins bins. One row is one value.
-- $bins = 400
SELECT
  counted.value,
  counted.n,
  CAST(CEIL(ROW_NUMBER() OVER (ORDER BY counted.value) * LEAST(1.0, $bins / COUNT(*) OVER ())) AS INTEGER) AS bin
FROM (
  SELECT original_records.u1 AS value, COUNT(*) AS n FROM original_records GROUP BY original_records.u1
) AS counted
