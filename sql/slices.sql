-- Slices of records.

-- name: uneven
-- The number of records with a number that is no whole number of units. A floating-point number is a whole one if it is
-- as near to it as its type can represent, or nearer than half a millionth of a unit, as computed values are (a
-- millionth may be a unit itself); decimals are counted exactly. One row.
SELECT
  COALESCE(SUM(
    CASE
      WHEN ABS(CAST(microdata.measured AS DOUBLE)) * 100 <= 1024
        AND (
          CAST(ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5) * 5 / 100 AS DOUBLE) = microdata.measured
          OR ABS(
            CAST(microdata.measured AS DOUBLE) * 100 / 5 - ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5)
          ) < 0.0000005
        ) THEN 0
      ELSE 1
    END
  ), 0) AS floats,
  COALESCE(SUM(CASE WHEN CAST(microdata.decimals AS HUGEINT) * 2 % 3 = 0 THEN 0 ELSE 1 END), 0) AS decimals
FROM microdata;

-- name: decided
-- The release of groups, decided: nothing is suppressed. One row is one group of n rows of the dataset, which share
-- these values.
SELECT
  part.label,
  keys.key AS value,
  CAST(part.measured AS DOUBLE) AS measured,
  part.n,
  FALSE AS suppressed
FROM microdata_groups AS part
JOIN keys ON part.cell = keys.cell;

-- name: leaves
-- The values of a hierarchy that the column can hold, as texts, with their classes. One row is one value.
SELECT keys.cell, CAST(keys.key AS VARCHAR) AS label, keys.level
FROM keys
ORDER BY keys.cell;

-- name: missing
-- The records without a usable value in a column: with none (NULL), with one that has no place among the others (NaN,
-- an infinity), and with a date that is in no calendar of people. One row: the three counts.
SELECT
  COALESCE(SUM(CASE WHEN microdata.measured IS NULL THEN 1 ELSE 0 END), 0) AS missing,
  COALESCE(SUM(CASE WHEN NOT ISFINITE(microdata.measured) THEN 1 ELSE 0 END), 0) AS endless,
  COALESCE(SUM(
    CASE WHEN NOT microdata.moment BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN 1 ELSE 0 END
  ), 0) AS beyond
FROM microdata;

-- name: numbers
-- The records as numbers, in the order that they were put in: decimals count units of their last digit, computed in
-- more digits than they have; dates and time stamps count from the beginning of 1970-01-01; a value that is no number
-- goes by its text. One row is one record.
SELECT
  CAST(microdata.measured AS DOUBLE) AS measured,
  CAST(microdata.decimals * CAST(100 AS DECIMAL(20, 0)) AS BIGINT) AS decimals,
  CAST(CAST(microdata.moment AS DATE) - CAST('1970-01-01' AS DATE) AS BIGINT) AS day,
  EPOCH_US(microdata.moment) AS microsecond,
  EPOCH_NS(microdata.moment) AS nanosecond,
  CAST(microdata.value AS VARCHAR) AS text
FROM microdata;

-- name: decided_with_kept
-- The release of groups with columns that are kept as they are, decided: nothing is suppressed. One row is n rows of the
-- dataset: the values that their group shares, those of the kept columns that they have alike, and the number of their
-- person.
SELECT
  part.label,
  keys.key AS value,
  CAST(part.measured AS DOUBLE) AS measured,
  own.kept,
  own.person,
  own.n,
  FALSE AS suppressed
FROM (
  SELECT assigned.number, microdata.kept, microdata.person, COUNT(*) AS n
  FROM microdata
  JOIN microdata_assigned AS assigned ON microdata.rowid = assigned.record
  GROUP BY assigned.number, microdata.kept, microdata.person
) AS own
JOIN microdata_groups AS part ON own.number = part.number
JOIN keys ON part.cell = keys.cell;
