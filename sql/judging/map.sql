-- Released histories and their map.

-- name: kept_by_row
-- The pairs of an original's row and the release's row made of it, row for row. One row is one pair.
SELECT released_records.line - 1 AS record, released_records.line FROM released_records;

-- name: mapped
-- A map in numbers and units like its original. Rows that say the same are counted through in `copy`. The columns of days
-- and numbers are there once for each. One row is one row of the map.
-- $unit_1 = 1.0
SELECT
  purchase.line,
  purchase.customer,
  purchase.item,
  purchase.u1,
  ROW_NUMBER() OVER (PARTITION BY purchase.customer, purchase.item, purchase.u1 ORDER BY purchase.line) AS copy
FROM (
  SELECT
    map_read.line,
    judged_customers.number AS customer,
    goods.item,
    TRY_CAST(ROUND(map_read.raw_1 / $unit_1) AS BIGINT) AS u1
  FROM map_read
  LEFT JOIN judged_customers ON CAST(TRY_CAST(map_read.customer AS BIGINT) AS VARCHAR) = judged_customers.label
  LEFT JOIN goods ON CAST(TRY_CAST(map_read.item AS VARCHAR) AS VARCHAR) = goods.label
) AS purchase;

-- name: copies
-- Rows of an original that are alike, counted through in `copy`: it is all the same which of them is which. The columns of
-- days and numbers are there once for each. One row is one row of the original.
SELECT
  original_records.record,
  original_records.customer,
  original_records.item,
  original_records.u1,
  ROW_NUMBER() OVER (
    PARTITION BY original_records.customer, original_records.item, original_records.u1
    ORDER BY original_records.record
  ) AS copy
FROM original_records;

-- name: kept_by_map
-- The pairs of an original's row and the release's row made of it, by a map. One row is one pair.
SELECT copies.record, mapped.line
FROM mapped
JOIN copies
  ON mapped.customer = copies.customer
  AND mapped.item = copies.item
  AND mapped.copy = copies.copy
  AND mapped.u1 = copies.u1;

-- name: map_lines
-- The rows of a map, the different rows of the release that it names, and those of them that are there. One row: the
-- three counts.
SELECT COUNT(*) AS rows, COUNT(DISTINCT mapped.line) AS named, COUNT(DISTINCT released_records.line) AS there
FROM mapped
LEFT JOIN released_records ON mapped.line = released_records.line;

-- name: kept_lines
-- The number of the original's rows with a known row of the release. One row.
SELECT COUNT(*) AS kept FROM kept;

-- name: truth
-- The customer of each pseudonym, by the rows that were kept. Where it has several customers, `customers` is their
-- number. One row is one pseudonym.
SELECT
  released_records.pseudonym,
  MIN(original_records.customer) AS customer,
  COUNT(DISTINCT original_records.customer) AS customers
FROM kept
JOIN original_records ON kept.record = original_records.record
JOIN released_records ON kept.line = released_records.line
GROUP BY released_records.pseudonym;

-- name: shared_pseudonyms
-- The number of pseudonyms that stand for several customers. One row.
SELECT COUNT_IF(truth.customers > 1) AS shared FROM truth;

-- name: shared_histories
-- The histories of a release, the fewest and the most customers who share one, and the customers of the original and of
-- the release. One row: the five counts.
SELECT
  COUNT(*) AS histories,
  MIN(class.customers) AS k,
  MAX(class.customers) AS largest,
  (SELECT COUNT(*) FROM judged_customers) AS customers,
  (SELECT COUNT(DISTINCT truth.customer) FROM truth) AS named
FROM (
  SELECT COUNT(DISTINCT truth.customer) AS customers
  FROM released_histories
  JOIN truth ON released_histories.pseudonym = truth.pseudonym
  GROUP BY released_histories.history
) AS class;

-- name: map
-- A map as it is written: the customer and the purchase of each row of a release; the column of the numbers is there
-- once for each. One row is one row of the map.
SELECT
  TRY_CAST(dataset.line AS BIGINT) AS line,
  CAST(dataset.id AS VARCHAR) AS customer,
  CAST(dataset.qi AS VARCHAR) AS item,
  DATE_DIFF('day', DATE '1970-01-01', TRY_CAST(dataset.moment AS DATE)) AS raw_1,
  TRY_CAST(dataset.measured AS DOUBLE) AS raw_2
FROM dataset;
