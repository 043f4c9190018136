-- The rows of a release, those without a pseudonym, and the pseudonyms. One row: the three counts.
SELECT
  COUNT(*) AS rows,
  COUNT(*) - COUNT(released_records.pseudonym) AS without_pseudonym,
  COUNT(DISTINCT released_records.pseudonym) AS pseudonyms
FROM released_records
