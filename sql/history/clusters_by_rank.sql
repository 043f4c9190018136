-- The clustered customers: each 2 after one another, without those left over at the end. One row is one customer.
SELECT customers.number AS customer, CAST(customers.number // 2 AS INTEGER) AS cluster
FROM history_customers AS customers
WHERE customers.number < (SELECT COUNT(*) - COUNT(*) % 2 FROM history_customers)
