-- How many rows of a release are there, how many have no pseudonym, and how many pseudonyms are there? One row.
SELECT
  COUNT(*) AS rows,
  COUNT(*) - COUNT(released_records.pseudonym) AS without_pseudonym,
  COUNT(DISTINCT released_records.pseudonym) AS pseudonyms
FROM released_records
