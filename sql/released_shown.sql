-- The release as a reader sees it: persons by their pseudonyms. One row is one combination of released values, with its
-- rows (or persons).
SELECT
  decided.value,
  pseudonym.number,
  CAST(SUM(decided.n) AS BIGINT) AS n,
  COUNT(DISTINCT decided.person) AS persons
FROM decided
JOIN pseudonyms AS pseudonym ON decided.person = pseudonym.person
WHERE NOT decided.suppressed
GROUP BY decided.value, pseudonym.number
