-- The different histories of a release. One row is one of them: the pseudonyms that share it, one of these, its rows,
-- and how many of the histories have fewer rows.
SELECT
  different.history,
  different.pseudonyms,
  different.pseudonym,
  different.rows,
  RANK() OVER (ORDER BY different.rows) - 1 AS shorter
FROM (
  SELECT
    released_histories.history,
    COUNT(*) AS pseudonyms,
    MIN(released_histories.pseudonym) AS pseudonym,
    MAX(released_histories.rows) AS rows
  FROM released_histories
  GROUP BY released_histories.history
) AS different
