-- The attacks by purchases: they name for each customer a pseudonym of the history that fits best. The seed draws one
-- of its pseudonyms, and one of histories that fit alike, for each customer anew. One row is one customer and the
-- pseudonym that the attack names.
-- $seed = 0
SELECT best.customer, numbered.pseudonym
FROM (
  SELECT
    attack_fit.customer,
    ARG_MAX(
      attack_fit.history, ROUND(attack_fit.fit, 4) + HASH(attack_fit.customer, attack_fit.history, $seed) / 1e24
    ) AS history
  FROM attack_fit
  GROUP BY attack_fit.customer
) AS best
JOIN attack_histories ON best.history = attack_histories.history
JOIN (
  SELECT
    released_histories.pseudonym,
    released_histories.history,
    ROW_NUMBER() OVER (
      PARTITION BY released_histories.history
      ORDER BY HASH(released_histories.pseudonym, $seed), released_histories.pseudonym
    ) - 1 AS place
  FROM released_histories
) AS numbered
  ON best.history = numbered.history
  AND numbered.place = HASH(best.customer, best.history, $seed) % attack_histories.pseudonyms
