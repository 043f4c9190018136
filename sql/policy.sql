-- Filters that policies refuse.

-- name: few_persons
-- Whether fewer persons than a number pass a row filter, or do not. One row: 1 or 0, whichever side it is.
-- $fewest = 20
SELECT MAX(side.few) AS few
FROM (
  SELECT CASE WHEN COUNT(DISTINCT dataset.id) < $fewest THEN 1 ELSE 0 END AS few
  FROM dataset
  UNION ALL
  SELECT CASE WHEN COUNT(DISTINCT others.id) < $fewest THEN 1 ELSE 0 END AS few
  FROM others
) AS side;

-- name: few_rows
-- Whether fewer rows than a number pass a row filter, or do not. One row: 1 or 0, whichever side it is.
-- $fewest = 20
SELECT MAX(side.few) AS few
FROM (
  SELECT CASE WHEN COUNT(*) < $fewest THEN 1 ELSE 0 END AS few
  FROM dataset
  UNION ALL
  SELECT CASE WHEN COUNT(*) < $fewest THEN 1 ELSE 0 END AS few
  FROM others
) AS side;

-- name: near_persons
-- Whether the rows that one of two row filters alone lets pass are of some persons, but of fewer than a number. One row: 1
-- or 0, whichever filter it is.
-- $fewest = 20
SELECT MAX(side.near) AS near
FROM (
  SELECT CASE WHEN COUNT(DISTINCT dataset.id) > 0 AND COUNT(DISTINCT dataset.id) < $fewest THEN 1 ELSE 0 END AS near
  FROM dataset
  UNION ALL
  SELECT CASE WHEN COUNT(DISTINCT others.id) > 0 AND COUNT(DISTINCT others.id) < $fewest THEN 1 ELSE 0 END AS near
  FROM others
) AS side;

-- name: near_rows
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
) AS side;
