-- The fit of each likely history to a customer, all parts together. One row is one customer with one history.
SELECT attack_fit.customer, attack_fit.history, SUM(attack_fit.fit) AS fit
FROM attack_fit
GROUP BY attack_fit.customer, attack_fit.history
