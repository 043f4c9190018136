-- The histories of the pseudonyms: two are the same if they have the same rows, each as often, in any order. One row is
-- one pseudonym; equal histories have one number, in the order of their first pseudonyms.
SELECT
  numbered.pseudonym,
  CAST(DENSE_RANK() OVER (ORDER BY numbered.first) - 1 AS INTEGER) AS history,
  LEN(numbered.contents) AS rows
FROM (
  SELECT
    history.pseudonym,
    history.contents,
    MIN(history.pseudonym) OVER (PARTITION BY history.contents) AS first
  FROM (
    SELECT released_records.pseudonym, LIST_SORT(LIST(released_records.meaning)) AS contents
    FROM released_records
    GROUP BY released_records.pseudonym
  ) AS history
) AS numbered
