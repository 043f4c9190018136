-- The items of a table, each with its most frequent description. One row is one item: its most frequent description (of
-- equals the first in order; NULL if it never has one) and its records. The item NULL comes first.
SELECT described.item, described.description, described.records
FROM (
  SELECT
    item_descriptions.item,
    item_descriptions.description,
    SUM(item_descriptions.n) OVER (PARTITION BY item_descriptions.item) AS records,
    ROW_NUMBER() OVER (
      PARTITION BY item_descriptions.item
      ORDER BY item_descriptions.description IS NULL, item_descriptions.n DESC, item_descriptions.description
    ) AS place
  FROM item_descriptions
) AS described
WHERE described.place = 1
ORDER BY described.item NULLS FIRST
