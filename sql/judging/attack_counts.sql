-- The purchases of each attacked customer in each bin of a column, as a list. Purchases are not independent of one
-- another, so that n of them count for the root of n, times $trust. One row is one customer.
-- $trust = 0.1
SELECT
  attack_bought.customer,
  LIST(CAST($trust * attack_bought.n / SQRT(attack_customers.purchases) AS FLOAT) ORDER BY attack_bought.bin) AS counts
FROM attack_bought
JOIN attack_customers ON attack_bought.customer = attack_customers.customer
WHERE attack_bought.bin > 0
GROUP BY attack_bought.customer
