-- The customers that the attacks try to find: customers whose pseudonym is known, picked by a seed, with their
-- purchases in the original and the histories that have no more rows. One row is one customer.
-- $seed = 0
-- $attempts = 2
SELECT sought.customer, sought.purchases, COALESCE(lengths.histories, 0) AS histories
FROM (
  SELECT picked.customer, COUNT(*) AS purchases
  FROM (
    SELECT truth.customer
    FROM truth
    GROUP BY truth.customer
    ORDER BY HASH(truth.customer, $seed), truth.customer
    LIMIT $attempts
  ) AS picked
  JOIN original_records ON original_records.customer = picked.customer
  GROUP BY picked.customer
) AS sought
ASOF LEFT JOIN (
  SELECT attack_histories.rows, MAX(attack_histories.shorter) + COUNT(*) AS histories
  FROM attack_histories
  GROUP BY attack_histories.rows
) AS lengths ON sought.purchases >= lengths.rows
