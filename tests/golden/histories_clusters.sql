SELECT
  customers.number AS customer,
  CAST(customers.number // 2 AS INT) AS cluster
FROM history_customers AS customers
WHERE
  customers.number < (
    SELECT
      COUNT(*) - COUNT(*) % 2
    FROM history_customers
  );
