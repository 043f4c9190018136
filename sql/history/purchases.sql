-- The purchases in whole numbers of units, customer by customer, those of one customer in the order in which they are
-- matched. One row is one purchase.
SELECT bought.customer, bought.u1, bought.measured, bought.item, bought.good
FROM (
  SELECT
    customers.number AS customer,
    CAST(CAST(microdata.u1 AS DATE) - CAST('1970-01-01' AS DATE) AS INTEGER) AS u1,
    CAST(microdata.measured AS BIGINT) AS measured,
    CAST(ROUND(CAST(microdata.measured AS DOUBLE) * 100 / 5) AS BIGINT) AS floats,
    CAST(CAST(microdata.decimals AS HUGEINT) * 2 // 3 AS BIGINT) AS decimals,
    goods.item,
    goods.good
  FROM microdata
  JOIN history_customers AS customers ON microdata.customer = customers.key
  JOIN history_goods AS goods ON microdata.item = goods.key
) AS bought
ORDER BY bought.customer, bought.measured DESC, bought.u1, bought.item, bought.good
