SELECT
  bought.customer,
  bought.u1,
  bought."u2",
  bought."u3",
  bought.item
FROM (
  SELECT
    customers.number AS customer,
    CAST(CAST(microdata.u1 AS DATE) - CAST('1970-01-01' AS DATE) AS INT) AS u1,
    CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 1 / 1) AS BIGINT) AS "u2",
    CAST(CAST(CAST(microdata."u3" * CAST(100 AS DECIMAL(20, 0)) AS BIGINT) AS INT128) * 1 // 50 AS BIGINT) AS "u3",
    goods.item,
    goods.good
  FROM microdata
  JOIN history_customers AS customers
    ON microdata.customer = customers.key
  JOIN history_goods AS goods
    ON microdata.item = goods.key
) AS bought
ORDER BY
  bought.customer,
  bought."u2" DESC,
  bought."u3" DESC,
  bought.u1,
  bought.item;
