-- How many rows of a release are there, how many have no pseudonym, how many pseudonyms, and how many cells of each column are unreadable? One
-- row.
SELECT
  COUNT(*) AS rows,
  COUNT(*) - COUNT(released_records.pseudonym) AS without_pseudonym,
  COUNT(DISTINCT released_records.pseudonym) AS pseudonyms,
  COUNT_IF(released_records.unreadable_item) AS unreadable_item,
  COUNT_IF(released_records.unreadable_1) AS unreadable_1
FROM released_records
