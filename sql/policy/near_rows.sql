-- Whether the rows that one of two row filters alone lets pass are of some rows, but of fewer than a number. One row: 1
-- or 0, whichever filter it is.
-- $fewest = 20
SELECT MAX(side.near) AS near
FROM (
  SELECT CASE WHEN COUNT(*) > 0 AND COUNT(*) < $fewest THEN 1 ELSE 0 END AS near
  FROM dataset
  UNION ALL
  SELECT CASE WHEN COUNT(*) > 0 AND COUNT(*) < $fewest THEN 1 ELSE 0 END AS near
  FROM others
) AS side
