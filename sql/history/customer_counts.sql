-- The number of customers, and of the purchases of the one with most. One row.
SELECT COUNT(*) AS customers, COALESCE(MAX(customers.n), 0) AS most FROM history_customers AS customers
