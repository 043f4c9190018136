-- The fit of each likely history to a customer's purchases, by the sets of items. The likelihood of the purchases, and
-- that of the rows of the history: how many times as often as in the whole original the items of a set are among the
-- customer's purchases; $none where none is. The customers' purchases are looked up by packed places, so that nothing
-- is joined that is not likely. One row is one customer with one history.
-- $none = 0.001
SELECT
  attack_likely.customer,
  attack_likely.history,
  LIST_DOT_PRODUCT(attack_counts.counts, attack_weights.weights)
  + COALESCE(told.n, 0) * LN($none) + COALESCE(matched.gain, 0) AS fit
FROM attack_likely
JOIN attack_counts ON attack_likely.customer = attack_counts.customer
JOIN attack_weights ON attack_likely.history = attack_weights.history
LEFT JOIN (
  SELECT attack_sets.history, SUM(attack_sets.n) AS n FROM attack_sets GROUP BY attack_sets.history
) AS told ON attack_likely.history = told.history
LEFT JOIN (
  SELECT
    of_set.customer,
    of_set.history,
    SUM(of_set.n * (LN($none + (1 - $none) * of_set.bought / of_set.purchases / of_set.share) - LN($none))) AS gain
  FROM (
    SELECT
      attack_likely.customer,
      attack_likely.history,
      attack_sets.item_set,
      MIN(attack_sets.n) AS n,
      MIN(attack_sets.share) AS share,
      MIN(bought.purchases) AS purchases,
      SUM(bought.n) AS bought
    FROM attack_likely
    JOIN attack_sets ON attack_likely.history = attack_sets.history
    JOIN released_sets ON attack_sets.item_set = released_sets.item_set
    JOIN (
      SELECT
        CAST(original_records.customer AS BIGINT) * 4294967296 + original_records.element AS place,
        MIN(attack_customers.purchases) AS purchases,
        COUNT(*) AS n
      FROM original_records
      JOIN attack_customers ON original_records.customer = attack_customers.customer
      GROUP BY original_records.customer, original_records.element
    ) AS bought ON bought.place = CAST(attack_likely.customer AS BIGINT) * 4294967296 + released_sets.element
    GROUP BY attack_likely.customer, attack_likely.history, attack_sets.item_set
  ) AS of_set
  GROUP BY of_set.customer, of_set.history
) AS matched ON attack_likely.customer = matched.customer AND attack_likely.history = matched.history
