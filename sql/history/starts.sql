-- The first purchase of each customer, as an offset. One row is one customer, in the order of their numbers.
SELECT customers.start FROM history_customers AS customers ORDER BY customers.number
