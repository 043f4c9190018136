-- Whether fewer rows than a number pass a row filter, or do not. One row: 1 or 0, whichever side it is.
-- $fewest = 20
SELECT MAX(side.few) AS few
FROM (
  SELECT CASE WHEN COUNT(*) < $fewest THEN 1 ELSE 0 END AS few
  FROM dataset
  UNION ALL
  SELECT CASE WHEN COUNT(*) < $fewest THEN 1 ELSE 0 END AS few
  FROM others
) AS side
