-- The fit of each likely history to a customer's purchases, by one column of days or numbers. The likelihood of the
-- purchases, less a penalty for every row of the history that must lie up to some value, or from some value on, where
-- the customer has not as many purchases. The customers' purchases are looked up by packed places, so that nothing is
-- joined that is not likely. One row is one customer with one history.
-- $penalty = 5.0
SELECT
  attack_likely.customer,
  attack_likely.history,
  LIST_DOT_PRODUCT(attack_counts.counts, attack_weights.weights) - $penalty * COALESCE(misfit.rows, 0) AS fit
FROM attack_likely
JOIN attack_counts ON attack_likely.customer = attack_counts.customer
JOIN attack_weights ON attack_likely.history = attack_weights.history
LEFT JOIN (
  SELECT
    attack_likely.customer,
    attack_likely.history,
    GREATEST(MAX(attack_cells.ended - upto.upto), 0)
    + GREATEST(MAX(attack_cells.begun - attack_customers.purchases + below.upto), 0) AS rows
  FROM attack_likely
  JOIN attack_customers ON attack_likely.customer = attack_customers.customer
  JOIN attack_cells ON attack_likely.history = attack_cells.history
  JOIN attack_bought AS upto
    ON upto.place = CAST(attack_likely.customer AS BIGINT) * 4294967296 + attack_cells.last
  JOIN attack_bought AS below
    ON below.place = CAST(attack_likely.customer AS BIGINT) * 4294967296 + attack_cells.first - 1
  GROUP BY attack_likely.customer, attack_likely.history
) AS misfit ON misfit.customer = attack_likely.customer AND misfit.history = attack_likely.history
