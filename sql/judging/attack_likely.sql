-- The likeliest histories of each attacked customer, by one column and, as in `attack_fit_of_count`, by the number of
-- purchases. One row is one customer with one of the $most likeliest; the seed parts equally likely ones.
-- $most = 2
-- $seed = 0
SELECT found.customer, UNNEST(found.histories) AS history
FROM (
  SELECT
    attack_counts.customer,
    ARG_MAX(
      told.history,
      LIST_DOT_PRODUCT(attack_counts.counts, told.weights)
      - LN(
        CASE
          WHEN told.rows > attack_customers.purchases THEN told.every
          ELSE attack_customers.histories - told.shorter
        END
      )
      + HASH(attack_counts.customer, told.history, $seed) / 1e24,
      $most
    ) AS histories
  FROM attack_counts
  JOIN attack_customers ON attack_counts.customer = attack_customers.customer
  CROSS JOIN (
    SELECT
      attack_weights.history,
      attack_weights.weights,
      attack_histories.rows,
      attack_histories.shorter,
      COUNT(*) OVER () AS every
    FROM attack_weights
    JOIN attack_histories ON attack_weights.history = attack_histories.history
  ) AS told
  GROUP BY attack_counts.customer
) AS found
