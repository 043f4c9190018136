-- Which pseudonyms have the same history: the same rows, each as often, in any order? One row is one pseudonym; equal
-- histories have one number.
SELECT
  history.pseudonym,
  CAST(DENSE_RANK() OVER (ORDER BY history.contents) - 1 AS INTEGER) AS history,
  LEN(history.contents) AS rows
FROM (
  SELECT purchase.pseudonym, LIST_SORT(LIST(purchase.content)) AS contents
  FROM (
    SELECT cells.pseudonym, MD5_NUMBER(CONCAT_WS(';', cells.items, cells.content_1)) AS content
    FROM (
      SELECT
        released_records.pseudonym,
        COALESCE(CAST(released_records.item_set AS VARCHAR), '*') AS items,
        COALESCE(released_records.low_1 || ':' || released_records.high_1, '*') AS content_1
      FROM released_records
    ) AS cells
  ) AS purchase
  GROUP BY purchase.pseudonym
) AS history
