-- The attack by number of purchases: it names for each customer a pseudonym with as many rows as the customer has
-- purchases; as rows may have been deleted, else one with the next fewer; else one with the fewest of all. The seed
-- draws one of several, for each customer anew. One row is one customer and the pseudonym that the attack names.
-- $seed = 0
SELECT nearest.customer, numbered.pseudonym
FROM (
  SELECT
    attack_customers.customer,
    COALESCE(lengths.rows, shortest.rows) AS rows,
    COALESCE(lengths.pseudonyms, shortest.pseudonyms) AS pseudonyms
  FROM attack_customers
  ASOF LEFT JOIN (
    SELECT released_histories.rows, COUNT(*) AS pseudonyms FROM released_histories GROUP BY released_histories.rows
  ) AS lengths ON attack_customers.purchases >= lengths.rows
  CROSS JOIN (
    SELECT released_histories.rows, COUNT(*) AS pseudonyms
    FROM released_histories
    GROUP BY released_histories.rows
    ORDER BY released_histories.rows
    LIMIT 1
  ) AS shortest
) AS nearest
JOIN (
  SELECT
    released_histories.pseudonym,
    released_histories.rows,
    ROW_NUMBER() OVER (
      PARTITION BY released_histories.rows
      ORDER BY HASH(released_histories.pseudonym, $seed), released_histories.pseudonym
    ) - 1 AS place
  FROM released_histories
) AS numbered
  ON nearest.rows = numbered.rows
  AND numbered.place = HASH(nearest.customer, nearest.rows, $seed) % nearest.pseudonyms
