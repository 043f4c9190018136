-- Where do the purchases of each customer begin? One row is one customer, in the order of their numbers.
SELECT customers.start FROM history_customers AS customers ORDER BY customers.number
