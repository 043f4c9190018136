-- The histories that are likely by any part of a customer's purchases. One row is one customer with one of them.
SELECT DISTINCT attack_likely.customer, attack_likely.history FROM attack_likely
