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
) AS purchase
