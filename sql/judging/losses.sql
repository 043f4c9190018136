-- The loss of the original's rows that were released, cell by cell: 1 where it is deleted; else, where an item was
-- released as one of n, 1 - 1/n; of an interval [a, b], with the truth x, all in units, ((a-x)^2 + (b-x)^2 + (b-a)) / (2
-- (b-a+1) sd). Also how many cells are deleted, and how many do not contain the truth. The columns of days and numbers
-- are there once for each. One row.
-- $sd_1 = 2.5
SELECT
  COUNT(*) AS released,
  COUNT_IF(pair.written) AS written,
  SUM(CASE WHEN pair.size IS NULL THEN 1 ELSE 1 - 1.0 / pair.size END) AS lost_item,
  SUM(CASE WHEN pair.goods IS NULL THEN 1 ELSE 1 - 1.0 / pair.goods END) AS lost_goods,
  COUNT_IF(pair.size IS NULL) AS deleted_item,
  COUNT_IF(pair.size IS NOT NULL AND pair.found IS NULL) AS untrue_item,
  SUM(
    CASE
      WHEN pair.low_1 IS NULL THEN 1
      WHEN $sd_1 = 0 THEN 0
      ELSE (POWER(pair.low_1 - pair.u1, 2) + POWER(pair.high_1 - pair.u1, 2) + (pair.high_1 - pair.low_1))
        / (2 * (pair.high_1 - pair.low_1 + 1) * $sd_1)
    END
  ) AS lost_1,
  COUNT_IF(pair.low_1 IS NULL) AS deleted_1,
  COUNT_IF(pair.u1 < pair.low_1 OR pair.u1 > pair.high_1) AS untrue_1
FROM (
  SELECT
    set_sizes.size,
    set_sizes.goods,
    released_sets.element AS found,
    NOT (released_records.item_set IS NULL AND released_records.low_1 IS NULL) AS written,
    original_records.u1,
    released_records.low_1,
    released_records.high_1
  FROM kept
  JOIN original_records ON kept.record = original_records.record
  JOIN released_records ON kept.line = released_records.line
  LEFT JOIN set_sizes ON released_records.item_set = set_sizes.item_set
  LEFT JOIN released_sets
    ON released_records.item_set = released_sets.item_set AND original_records.element = released_sets.element
) AS pair
