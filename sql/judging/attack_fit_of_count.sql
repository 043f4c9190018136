-- The fit of each likely history to the number of a customer's purchases, where rows may have been deleted. The fewer
-- histories have as many rows as it has, or more up to that number, the better. One row is one customer with one
-- history.
SELECT
  attack_likely.customer,
  attack_likely.history,
  -LN(
    CASE
      WHEN attack_histories.rows > attack_customers.purchases THEN (SELECT COUNT(*) FROM attack_histories)
      ELSE attack_customers.histories - attack_histories.shorter
    END
  ) AS fit
FROM attack_likely
JOIN attack_histories ON attack_likely.history = attack_histories.history
JOIN attack_customers ON attack_likely.customer = attack_customers.customer
