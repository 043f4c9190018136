-- How many customers are there, and how many purchases has the one with most? One row.
SELECT COUNT(*) AS customers, COALESCE(MAX(customers.n), 0) AS most FROM history_customers AS customers
