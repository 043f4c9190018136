-- The customer of each pseudonym, by the rows that were kept. Where it has several customers, `customers` is their
-- number. One row is one pseudonym.
SELECT
  released_records.pseudonym,
  MIN(original_records.customer) AS customer,
  COUNT(DISTINCT original_records.customer) AS customers
FROM kept
JOIN original_records ON kept.record = original_records.record
JOIN released_records ON kept.line = released_records.line
GROUP BY released_records.pseudonym
