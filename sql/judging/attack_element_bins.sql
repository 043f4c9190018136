-- The names that a release gives items, the rare ones first, in at most $bins bins. One row is one name by its number.
-- $bins = 400
SELECT
  counted.element AS value,
  counted.n,
  CAST(
    CEIL(ROW_NUMBER() OVER (ORDER BY counted.n, counted.element) * LEAST(1.0, $bins / COUNT(*) OVER ())) AS INTEGER
  ) AS bin
FROM (
  SELECT original_records.element, COUNT(*) AS n FROM original_records GROUP BY original_records.element
) AS counted
