SELECT
  customers.number AS customer,
  CAST(CAST(microdata.u1 AS DATE) - CAST('1970-01-01' AS DATE) AS INT) AS u1,
  CAST(ROUND(CAST(microdata."u2" AS DOUBLE) * 1 / 1) AS BIGINT) AS "u2",
  CAST(CAST(CAST(microdata."u3" * CAST(100 AS DECIMAL(20, 0)) AS BIGINT) AS INT128) * 1 // 50 AS BIGINT) AS "u3",
  goods.item
FROM microdata
JOIN history_customers AS customers
  ON microdata.customer = customers.key
JOIN history_goods AS goods
  ON microdata.item = goods.key
ORDER BY
  customers.number,
  microdata."u2" DESC,
  microdata."u3" DESC,
  u1,
  goods.item;
